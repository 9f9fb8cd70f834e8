package dev.varve.cli;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption.Origin;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where Java leaves a dump of its heap when that is full: one file in the data directory, which
 * only its owner may read, as it holds customers' data. Java writes over none that is there, so
 * that a server that is started again and again fills no disk.
 */
final class HeapDump {
  static final String NAME = "heap.hprof";
  private static final String WANTED = "HeapDumpOnOutOfMemoryError";
  private static final String PATH = "HeapDumpPath";

  private HeapDump() {}

  /**
   * Tells Java where to put a dump. What an operator has said by options of Java stands.
   *
   * @return what the operator should know, or an empty text
   */
  static String prepare(Path data, boolean wanted) throws IOException {
    Path file = data.resolve(NAME).toAbsolutePath();
    HotSpotDiagnosticMXBean java =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    // Other makes of Java have none of this.
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
