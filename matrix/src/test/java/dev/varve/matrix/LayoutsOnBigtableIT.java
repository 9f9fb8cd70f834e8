package dev.varve.matrix;

class LayoutsOnBigtableIT extends LayoutsOnStore {
  LayoutsOnBigtableIT() {
    super("bigtable");
  }
}
