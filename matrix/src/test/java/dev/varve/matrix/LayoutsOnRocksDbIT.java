package dev.varve.matrix;

class LayoutsOnRocksDbIT extends LayoutsOnStore {
  LayoutsOnRocksDbIT() {
    super("rocksdb");
  }
}
