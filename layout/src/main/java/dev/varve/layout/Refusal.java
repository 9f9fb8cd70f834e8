package dev.varve.layout;

/**
 * The reason why a layout rejects a point.
 *
 * @param rule the name of the violated bound, such as {@code heroic.kind}; stable, for counters and
 *     tests
 * @param message what was wrong, where, and what was expected
 */
public record Refusal(String rule, String message) {}
