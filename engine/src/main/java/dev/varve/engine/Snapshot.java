package dev.varve.engine;

import java.nio.file.Path;
import java.time.Instant;

/**
 * A copy of all local stores as of one moment, inside the data directory.
 *
 * @param name 14 digits of the time in UTC, a hyphen, and 16 hexadecimal digits
 * @param directory itself a data directory
 * @param bytes size of its files; those that the stores still use are shared with them
 */
public record Snapshot(String name, Path directory, Instant created, long bytes) {}
