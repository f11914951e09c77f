"""A loop of the module itself, over an object that does not tell how far it is. `#= N` says how often it runs."""

keep = []


class Reader:
    def __init__(self, left):
        self.left = left

    def __iter__(self):
        return self

    def __next__(self):
        while self.left:
            self.left -= 1
            item = bytearray(4096)
            if item:
                return item
        raise StopIteration


for item in Reader(38):  #= 38
    keep.append(item)
