"""A session of SQLAlchemy keeps every object that was added."""

import sys

from sqlalchemy import LargeBinary, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

CLEAN = "clean" in sys.argv


class Base(DeclarativeBase):
    pass


class Page(Base):
    __tablename__ = "pages"
    id: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)


def main():
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    session = Session(engine)
    work = 0
    for number in range(300):
        page = Page(id=number, body=b"x" * (100_000 + number))  # made
        session.add(page)  # kept
        work += len(page.body)
        if CLEAN:
            session.expunge_all()
    print("work", work)


main()
