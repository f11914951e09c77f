"""Loops of every shape. `#= N` says how often the loop on that line runs; loops without it are not to be seen."""

import asyncio
import functools
import threading

keep = []


def block(size=4096):
    return bytearray(size)


def helper():
    return block(2048)


def step():
    block()
    helper()
    keep.append(block())


def nested():
    for _epoch in range(3):  #= 3
        block()
        for _batch in range(10):  #= 30
            step()
            helper()


def only_the_inner_one_makes_blocks():
    for _epoch in range(9):  #= 9
        for _batch in range(11):  #= 99
            keep.append(block())


def one_line():
    for _ in range(23):  #= 23
        keep.append(block())


def over_a_list():
    for _ in list(range(24)):  #= 24
        keep.append(block())


def over_a_tuple_and_a_dict():
    for _ in (1, 2, 3, 4, 5, 6, 7, 8, 9):  #= 9
        block()
    for _ in dict.fromkeys(range(12)):  #= 12
        block()


def enumerated():
    for _number, _item in enumerate(range(26)):  #= 26
        keep.append(block())


def zipped():
    for _a, _b in zip(range(27), range(27)):  #= 27
        keep.append(block())


def inside_with():
    with open("/dev/null"):
        for _ in range(25):  #= 25
            keep.append(block())


def with_and_try_inside():
    for _ in range(31):  #= 31
        with open("/dev/null"):
            try:
                block()
                block()
            finally:
                block()


def every_fiftieth_round():
    for number in range(951):  #= 951
        if number % 50 == 0:
            keep.append(block())


def skipping():
    for number in range(39):  #= 39
        if number % 2:
            continue
        try:
            block()
            if number % 4 == 0:
                raise ValueError
        except ValueError:
            continue
        block()


def broken_off():
    for number in range(100):  #= 27
        block()
        if number == 26:
            break


def counting():
    number = 0
    while number < 20:  #= 20
        step()
        number += 1


def counting_in_one_line():
    number = 0
    while number < 29:  #= 29
        number += 1
        keep.append(block())


def nested_while():
    outer = 0
    while outer < 8:  #= 8
        inner = 0
        block()
        while inner < 7:  #= 56
            block()
            inner += 1
        outer += 1


def comprehension():
    return [block() for _ in range(17)]  #= 17


def generator():
    for number in range(15):  #= 15
        block()
        yield number


def driven_by_a_generator():
    for _ in generator():  #= 15
        block()


def driven_by_a_generator_and_numbered():
    for _number, _item in enumerate((block() for _ in range(16)), start=1):  #= 16
        block()


class Reader:
    """Hands out `left` blocks. Its own loop never comes round."""

    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        while self.left:
            self.left -= 1
            item = block()
            if item:
                return item
        raise StopIteration


def over_an_object_that_does_not_count():
    for item in Reader(36):  #= 36
        keep.append(item)


def over_such_an_object_inside_another_loop():
    for _epoch in range(10):  #= 10
        for _item in Reader(4):  #= 40
            pass


def over_such_an_object_in_a_function(items):
    for _item in Reader(items):  #= 60
        pass


def calling_it():
    for _ in range(20):  #= 20
        over_such_an_object_in_a_function(3)


def over_such_an_object_with_several_blocks_in_one_instruction():
    for _item in Reader(38):  #= 38
        list(map(bytearray, (4096, 4096, 4096)))


def over_what_another_one_maps():
    for _item in map(len, Reader(37)):  #= 37
        pass


def recursive(depth):
    block()
    if depth:
        recursive(depth - 1)


def recursion_inside():
    for _ in range(21):  #= 21
        recursive(5)


def called_back():
    for _ in range(12):  #= 12
        list(map(lambda _item: (block(), block()), range(9)))
    for _ in range(22):  #= 22
        sorted(range(7), key=lambda item: (block(), -item)[1])
    for _ in range(18):  #= 18
        functools.reduce(lambda _a, _b: block(), range(6))


def the_same_helper_twice():
    for _ in range(33):  #= 33
        helper()
        helper()


def several_blocks_in_one_instruction():
    for _ in range(34):  #= 34
        bytes(block()).join([b"x" * 2000, b"y" * 2000])


def retrying():
    for _ in range(32):  #= 32
        for _attempt in range(3):
            keep.append(block())
            break


def one_after_the_other():
    for _ in range(13):  #= 13
        block()
    for _ in range(14):  #= 14
        block()


def in_a_thread():
    for _ in range(28):  #= 28
        keep.append(block())


async def request():
    block()
    await asyncio.sleep(0)
    block()


async def serving():
    for _ in range(19):  #= 19
        await request()


def no_loop():
    keep.append(block())
    keep.append(block())
    keep.append(block())


def main():
    for _ in range(30):  #= 30
        keep.append(block())


nested()
only_the_inner_one_makes_blocks()
one_line()
over_a_list()
over_a_tuple_and_a_dict()
enumerated()
zipped()
inside_with()
with_and_try_inside()
every_fiftieth_round()
skipping()
broken_off()
counting()
counting_in_one_line()
nested_while()
comprehension()
driven_by_a_generator()
driven_by_a_generator_and_numbered()
over_an_object_that_does_not_count()
over_such_an_object_inside_another_loop()
calling_it()
over_such_an_object_with_several_blocks_in_one_instruction()
over_what_another_one_maps()
recursion_inside()
called_back()
the_same_helper_twice()
several_blocks_in_one_instruction()
retrying()
one_after_the_other()
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
asyncio.get_event_loop_policy().new_event_loop().run_until_complete(serving())
no_loop()
main()
for _ in range(35):  #= 35
    keep.append(block())
