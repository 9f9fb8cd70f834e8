package dev.varve.store.contract;

/**
 * One promise of the SPI.
 *
 * @param name says what a store does that keeps it
 * @param body fails where it is not kept
 */
record ContractTest(String name, Body body) {
  interface Body {
    void run(Lab lab) throws Exception;
  }
}
