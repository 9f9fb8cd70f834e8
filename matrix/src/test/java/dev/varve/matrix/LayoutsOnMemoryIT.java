package dev.varve.matrix;

class LayoutsOnMemoryIT extends LayoutsOnStore {
  LayoutsOnMemoryIT() {
    super("memory");
  }
}
