package dev.varve.bench.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The kernel's figures for a process, from proc(5). */
public record ProcessFigures(long pid) {
  /**
   * The steps in which the kernel reports processor time: USER_HZ, 100 on all Linux ports in use.
   */
  private static final double TICKS_A_SECOND = 100;

  /** Returns the processor time of the process and its children so far, in seconds. */
  public double cpuSeconds() throws IOException {
    double all = ticks(pid) / TICKS_A_SECOND;
    for (ProcessHandle child : ProcessHandle.of(pid).orElseThrow().descendants().toList()) {
      all += ticksIfAlive(child.pid()) / TICKS_A_SECOND;
    }
    return all;
  }

  private static long ticksIfAlive(long pid) {
    try {
      return ticks(pid);
    } catch (IOException e) {
      // It has ended and counts with its parent.
      return 0;
    }
  }

  /** Returns ticks of a process and its ended children, in user mode and in the kernel. */
  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(file(pid, "stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = 0;
    // Fields 14 to 17 of proc(5): utime, stime, cutime, cstime. These begin with field 3.
    for (int field = 11; field <= 14; field++) {
      ticks += Long.parseLong(fields[field]);
    }
    return ticks;
  }

  /** Returns the most resident memory since {@link #forgetPeak} or the start, in bytes. */
  long peakBytes() throws IOException {
    return number(file(pid, "status"), "VmHWM:") << 10;
  }

  /** Returns the resident memory, in bytes. */
  long residentBytes() throws IOException {
    return number(file(pid, "status"), "VmRSS:") << 10;
  }

  void forgetPeak() throws IOException {
    Files.writeString(file(pid, "clear_refs"), "5");
  }

  /** Returns bytes that the process has caused to be written to storage. */
  long writtenBytes() throws IOException {
    return number(file(pid, "io"), "write_bytes:");
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  private static long number(Path file, String line) throws IOException {
    for (String text : Files.readAllLines(file)) {
      if (text.startsWith(line)) {
        return Long.parseLong(text.replaceAll("\\D", ""));
      }
    }
    throw new IOException("no %s in %s".formatted(line, file));
  }

  /**
   * Returns the bytes of the blocks that the files of a folder take: some servers allocate files
   * before they fill them, and files may have holes.
   */
  static long diskBytes(Path folder) throws IOException {
    try {
      // Java tells the length of a file, not its blocks.
      Process du =
          new ProcessBuilder("du", "-s", "-B1", folder.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      // Files that vanish meanwhile make du fail after it has counted the others.
      if (!du.waitFor(1, TimeUnit.MINUTES) || answer.isBlank()) {
        throw new IOException("du cannot count " + folder);
      }
      return Long.parseLong(answer.split("\\s", 2)[0]);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while counting " + folder, e);
    }
  }
}
