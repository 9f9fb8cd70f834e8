package dev.varve.matrix;

class LayoutsOnCassandraIT extends LayoutsOnStore {
  LayoutsOnCassandraIT() {
    super("cassandra");
  }
}
