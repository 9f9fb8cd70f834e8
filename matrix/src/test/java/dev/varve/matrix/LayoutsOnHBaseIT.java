package dev.varve.matrix;

class LayoutsOnHBaseIT extends LayoutsOnStore {
  LayoutsOnHBaseIT() {
    super("hbase");
  }
}
