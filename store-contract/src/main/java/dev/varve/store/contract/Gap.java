package dev.varve.store.contract;

/**
 * A promise that a store is known to break. The promise's test still runs and must fail as
 * declared.
 *
 * @param test name of the test
 * @param reason why the store cannot keep the promise
 * @param wrongResult a substring of the message with which the test must fail
 */
public record Gap(String test, String reason, String wrongResult) {}
