package dev.varve.store.contract;

import dev.varve.store.Partitioning;

/**
 * One promise of the SPI.
 *
 * @param name says what a store does that keeps it
 * @param partitioning of the tables with three families that it is tried on
 * @param body fails where it is not kept
 */
record ContractTest(String name, Partitioning partitioning, Body body) {
  /** On tables that are one partition. */
  ContractTest(String name, Body body) {
    this(name, Partitioning.NONE, body);
  }

  interface Body {
    void run(Lab lab) throws Exception;
  }

  /** The same promise of tables in which the first byte of a row key is its partition. */
  ContractTest inPartitions() {
    return new ContractTest(name + ", in partitions", Lab.FIRST_BYTE, body);
  }
}
