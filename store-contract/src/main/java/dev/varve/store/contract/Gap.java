package dev.varve.store.contract;

/**
 * A promise that a store does not keep. Its test still runs, and must fail as is said here.
 *
 * @param test the name of the test
 * @param reason why the store cannot do better
 * @param wrongResult a part of the message with which the test fails
 */
public record Gap(String test, String reason, String wrongResult) {}
