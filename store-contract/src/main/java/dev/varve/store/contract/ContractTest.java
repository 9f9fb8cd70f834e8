package dev.varve.store.contract;

import dev.varve.store.Partitioning;

/**
 * One promise of the SPI.
 *
 * @param name states what a conforming store does
 * @param partitioning the partitioning of the test's three-family tables
 * @param body fails if the store breaks the promise
 */
record ContractTest(String name, Partitioning partitioning, Body body) {
  /** Creates a test on tables that form a single partition. */
  ContractTest(String name, Body body) {
    this(name, Partitioning.NONE, body);
  }

  interface Body {
    void run(Lab lab) throws Exception;
  }

  /** Returns the same promise for tables partitioned by the first byte of the row key. */
  ContractTest inPartitions() {
    return new ContractTest(name + ", in partitions", Lab.FIRST_BYTE, body);
  }
}
