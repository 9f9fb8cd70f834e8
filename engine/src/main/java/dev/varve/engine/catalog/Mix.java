package dev.varve.engine.catalog;

/** Mixes the bits of numbers for open-addressing hash tables (the finaliser of MurmurHash3). */
final class Mix {
  private Mix() {}

  static int of(int value) {
    int h = value;
    h = (h ^ (h >>> 16)) * 0x85ebca6b;
    h = (h ^ (h >>> 13)) * 0xc2b2ae35;
    return h ^ (h >>> 16);
  }
}
