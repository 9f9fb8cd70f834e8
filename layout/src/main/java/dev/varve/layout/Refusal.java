package dev.varve.layout;

/**
 * Why a layout does not take a point.
 *
 * @param rule the name of the bound that it lies outside of, such as {@code heroic.kind}; stable,
 *     for counters and tests
 * @param message what was wrong, where, and what would be right
 */
public record Refusal(String rule, String message) {}
