"""Paints ten small pictures, one of each class of ResNet8, and writes them with their labels as models/samples.npz.

Usage: make_samples.py FILE.npz

Simple shapes before simple backgrounds, computed with NumPy alone: the same bytes on every machine. A label is what the
picture is meant to show. Ten painted pictures say whether two networks agree; they don't measure accuracy.
"""

import sys

import numpy as np

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
SIZE, FINE = 32, 4  # pixels, and points per pixel and direction

# The centres of the points, x to the right and y down, in pixels.
Y, X = (np.mgrid[0:SIZE * FINE, 0:SIZE * FINE] + 0.5) / FINE


class Canvas:
    def __init__(self, top, bottom):
        """A background that fades from one colour to another."""
        share = (Y / SIZE)[..., None]
        self.points = np.array(top) * (1 - share) + np.array(bottom) * share

    def fill(self, where, colour):
        self.points[where] = colour

    def rectangle(self, left, top, right, bottom, colour):
        self.fill((X >= left) & (X < right) & (Y >= top) & (Y < bottom), colour)

    def ellipse(self, x, y, width, height, colour):
        self.fill(((X - x) / width) ** 2 + ((Y - y) / height) ** 2 <= 1, colour)

    def polygon(self, corners, colour):
        """A convex one, its corners clockwise as seen on the screen."""
        inside = np.ones_like(X, bool)
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
            inside &= (x1 - x0) * (Y - y0) - (y1 - y0) * (X - x0) >= 0
        self.fill(inside, colour)

    def legs(self, xs, top, bottom, colour, width=1.6):
        for x in xs:
            self.rectangle(x, top, x + width, bottom, colour)

    def pixels(self):
        """Bytes, [3,32,32]: each pixel the mean of its points."""
        means = self.points.reshape(SIZE, FINE, SIZE, FINE, 3).mean((1, 3))
        return np.rint(means).astype(np.uint8).transpose(2, 0, 1)


def airplane():
    c = Canvas((90, 150, 220), (190, 215, 240))
    c.polygon([(15, 14), (19, 14), (12, 26), (9, 26)], (150, 155, 165))
    c.polygon([(10, 5), (12, 5), (19, 14), (15, 14)], (165, 170, 180))
    c.ellipse(16, 15, 13, 2.6, (235, 238, 242))
    c.polygon([(3, 8), (6, 8), (9, 14), (5, 15)], (200, 60, 50))
    return c


def automobile():
    c = Canvas((200, 205, 210), (120, 120, 122))
    c.rectangle(0, 24, 32, 32, (85, 85, 88))
    c.polygon([(10, 9), (22, 9), (26, 16), (6, 16)], (180, 20, 25))
    c.polygon([(11, 10), (21, 10), (24, 15.5), (8.5, 15.5)], (60, 75, 90))
    c.rectangle(3, 15.5, 29, 23, (200, 25, 30))
    c.rectangle(3, 17, 6, 19, (250, 240, 190))
    c.rectangle(26, 17, 29, 19, (250, 240, 190))
    c.rectangle(11, 19, 21, 22, (45, 45, 48))
    c.ellipse(7.5, 24, 3.2, 3.4, (20, 20, 22))
    c.ellipse(24.5, 24, 3.2, 3.4, (20, 20, 22))
    return c


def bird():
    c = Canvas((165, 195, 160), (110, 150, 90))
    c.polygon([(2, 18), (12, 16), (12, 20), (3, 22)], (95, 70, 50))
    c.ellipse(16, 18, 8, 5.5, (120, 90, 65))
    c.ellipse(17, 20.5, 6, 3, (205, 170, 130))
    c.ellipse(23, 11.5, 4, 3.8, (110, 80, 58))
    c.polygon([(26.5, 10.5), (31, 12), (26.5, 13.5)], (235, 170, 50))
    c.ellipse(24, 11, 0.8, 0.8, (10, 10, 10))
    c.legs((15, 18.5), 23, 29, (90, 70, 40), 0.9)
    return c


def cat():
    c = Canvas((150, 120, 100), (190, 165, 145))
    c.ellipse(16, 29, 11, 9, (105, 100, 98))
    c.polygon([(6, 3), (13, 9), (7, 14)], (95, 90, 88))
    c.polygon([(26, 3), (25, 14), (19, 9)], (95, 90, 88))
    c.ellipse(16, 15, 10, 8.5, (125, 118, 114))
    for x in (11, 14.7, 18.4):
        c.rectangle(x, 7, x + 1.3, 10.5, (70, 66, 64))
    c.ellipse(12, 14, 2.2, 1.7, (190, 200, 90))
    c.ellipse(20, 14, 2.2, 1.7, (190, 200, 90))
    c.ellipse(12, 14, 0.8, 1.6, (10, 10, 10))
    c.ellipse(20, 14, 0.8, 1.6, (10, 10, 10))
    c.ellipse(16, 19, 4, 2.8, (215, 208, 202))
    c.polygon([(14.6, 17), (17.4, 17), (16, 18.8)], (200, 120, 120))
    return c


def deer():
    c = Canvas((70, 95, 50), (125, 140, 75))
    brown = (150, 105, 65)
    c.legs((8, 11, 18, 21), 19, 30, (120, 82, 50))
    c.ellipse(15, 17.5, 8.5, 4.6, brown)
    c.ellipse(7, 15.5, 1.6, 2, (230, 220, 205))
    c.polygon([(21, 9), (24.5, 9), (23.5, 19), (18.5, 18)], brown)
    c.ellipse(25, 8.5, 3.8, 2.3, (160, 115, 75))
    c.polygon([(21.5, 1), (22.4, 1), (23.4, 7), (22.4, 7)], (95, 70, 45))
    c.polygon([(26.6, 1), (27.5, 1), (25.2, 7), (24.2, 7)], (95, 70, 45))
    c.polygon([(19, 3.2), (19.6, 2.6), (22.8, 5.2), (22.4, 6)], (95, 70, 45))
    return c


def dog():
    c = Canvas((195, 205, 200), (120, 150, 90))
    c.ellipse(16, 30, 9, 9, (205, 165, 110))
    c.ellipse(16, 14, 8.5, 9, (215, 175, 120))
    c.ellipse(7.5, 14, 3, 6.5, (140, 95, 55))
    c.ellipse(24.5, 14, 3, 6.5, (140, 95, 55))
    c.ellipse(16, 19, 5, 4.4, (240, 225, 200))
    c.ellipse(16, 16.8, 2, 1.5, (20, 18, 18))
    c.ellipse(12.6, 11.5, 1.2, 1.3, (25, 18, 14))
    c.ellipse(19.4, 11.5, 1.2, 1.3, (25, 18, 14))
    c.polygon([(14.8, 21), (17.2, 21), (16.8, 24.5), (15.2, 24.5)], (215, 100, 110))
    return c


def frog():
    c = Canvas((120, 110, 75), (90, 80, 55))
    green = (95, 145, 55)
    c.ellipse(6.5, 23, 5, 4, (75, 120, 42))
    c.ellipse(25.5, 23, 5, 4, (75, 120, 42))
    c.ellipse(16, 20, 10.5, 7.5, green)
    c.ellipse(16, 23.5, 7, 3.8, (190, 200, 130))
    c.ellipse(10.5, 12.5, 3.2, 3.2, green)
    c.ellipse(21.5, 12.5, 3.2, 3.2, green)
    c.ellipse(10.5, 12, 1.8, 1.8, (225, 200, 70))
    c.ellipse(21.5, 12, 1.8, 1.8, (225, 200, 70))
    c.ellipse(10.5, 12, 0.9, 1.4, (10, 10, 10))
    c.ellipse(21.5, 12, 0.9, 1.4, (10, 10, 10))
    return c


def horse():
    c = Canvas((175, 205, 235), (100, 160, 70))
    c.rectangle(0, 21, 32, 32, (95, 150, 60))
    chestnut = (110, 60, 35)
    c.legs((7, 10.5, 19, 22), 18, 30, (90, 48, 28), 2)
    c.ellipse(15.5, 16.5, 9.5, 4.8, chestnut)
    c.polygon([(4, 14), (6.5, 14), (5.5, 25), (3, 25)], (40, 25, 18))
    c.polygon([(21.5, 6), (26, 6), (25.5, 17), (18.5, 16.5)], chestnut)
    c.polygon([(20.5, 5), (22.5, 5), (20, 15), (17.5, 14)], (40, 25, 18))
    c.polygon([(23, 4.5), (26, 4.5), (31, 10.5), (28.5, 12.5)], (120, 66, 40))
    return c


def ship():
    c = Canvas((150, 190, 225), (200, 220, 235))
    c.rectangle(0, 22, 32, 32, (40, 85, 130))
    c.polygon([(2, 17), (30, 17), (26, 24), (6, 24)], (150, 35, 35))
    c.rectangle(9, 11, 23, 17, (240, 240, 240))
    c.rectangle(11, 13, 21, 14.5, (60, 80, 110))
    c.rectangle(14, 5, 17.5, 11, (35, 35, 40))
    c.rectangle(14, 6.5, 17.5, 8, (200, 60, 40))
    return c


def truck():
    c = Canvas((175, 200, 220), (150, 150, 150))
    c.rectangle(0, 25, 32, 32, (95, 95, 98))
    c.rectangle(2, 6, 20, 23, (225, 225, 220))
    c.rectangle(2, 12, 20, 13.5, (190, 190, 186))
    c.rectangle(20.5, 11, 29.5, 23, (30, 75, 160))
    c.polygon([(23.5, 12.5), (28.5, 12.5), (29.5, 17), (23.5, 17)], (160, 195, 215))
    c.rectangle(2, 22, 30, 24, (45, 45, 50))
    for x in (6.5, 12.5, 25):
        c.ellipse(x, 25, 2.9, 2.9, (18, 18, 20))
        c.ellipse(x, 25, 1.1, 1.1, (160, 160, 160))
    return c


def main():
    pictures = [globals()[name]().pixels() for name in CLASSES]
    np.savez(sys.argv[1], image=np.stack(pictures), labels=np.arange(len(CLASSES)))


if __name__ == "__main__":
    main()
