package dev.varve.engine;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The threads of this process that live, virtual ones too, as a thread dump tells them. */
final class LiveThreads {
  /** A line such as {@code #33 "others on main" virtual}. */
  private static final Pattern THREAD = Pattern.compile("#\\d+ \"(.*)\".*");

  private LiveThreads() {}

  /** The names of the threads that carry the name of a dataset, as all threads behind one do. */
  static List<String> named(String dataset) {
    return all().stream().filter(name -> name.endsWith(" " + dataset)).toList();
  }

  private static List<String> all() {
    try {
      Path folder = Files.createTempDirectory("threads");
      Path dump = folder.resolve("dump");
      try {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpThreads(dump.toAbsolutePath().toString(), ThreadDumpFormat.TEXT_PLAIN);
        return Files.readAllLines(dump).stream()
            .map(THREAD::matcher)
            .filter(line -> line.matches())
            .map(line -> line.group(1))
            .toList();
      } finally {
        Files.deleteIfExists(dump);
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
