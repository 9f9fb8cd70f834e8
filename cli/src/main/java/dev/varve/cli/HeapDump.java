package dev.varve.cli;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption.Origin;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The place of Java's heap dump after heap exhaustion: one file in the data directory. Only its
 * owner may read it, because it contains customers' data. Java does not overwrite an existing dump,
 * so a server that is restarted again and again does not fill the disk.
 */
final class HeapDump {
  static final String NAME = "heap.hprof";
  private static final String WANTED = "HeapDumpOnOutOfMemoryError";
  private static final String PATH = "HeapDumpPath";

  private HeapDump() {}

  /**
   * Tells Java where to write a dump, unless the operator's Java options say so.
   *
   * @return a warning for the operator; empty if there is none
   */
  static String prepare(Path data, boolean wanted) throws IOException {
    Path file = data.resolve(NAME).toAbsolutePath();
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    // Other Java implementations lack this interface.
    if (java == null || isGiven(java, WANTED) || isGiven(java, PATH)) {
      return "";
    }
    java.setVMOption(PATH, file.toString());
    java.setVMOption(WANTED, Boolean.toString(wanted));
    return wanted && Files.exists(file)
        ? "there is a heap dump of %s, %,d bytes, in %s: no other is written until it is removed"
            .formatted(Files.getLastModifiedTime(file), Files.size(file), file)
        : "";
  }

  private static boolean isGiven(HotSpotDiagnosticMXBean java, String option) {
    Origin origin = java.getVMOption(option).getOrigin();
    return origin != Origin.DEFAULT && origin != Origin.MANAGEMENT;
  }
}
