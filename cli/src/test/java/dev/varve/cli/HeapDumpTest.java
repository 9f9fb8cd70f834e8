package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the files that a process leaves when it runs out of heap. */
class HeapDumpTest {
  @TempDir private Path folder;

  /** A process that fills its heap. */
  static final class Full {
    private Full() {}

    /** Takes the data directory, and whether to write a dump. */
    public static void main(String[] arguments) throws IOException {
      System.out.print(HeapDump.prepare(Path.of(arguments[0]), Boolean.parseBoolean(arguments[1])));
      System.out.flush();
      List<long[]> held = new ArrayList<>();
      while (true) {
        held.add(new long[1 << 16]);
        held.getLast()[0] = held.size();
      }
    }
  }

  private String fill(boolean wanted, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx12m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of(options));
    command.addAll(List.of(Full.class.getName(), folder.toString(), Boolean.toString(wanted)));
    Path working = Files.createDirectories(folder.resolve("working"));
    Process process =
        new ProcessBuilder(command)
            .directory(working.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as("Java's exit code for OutOfMemoryError").isEqualTo(3);
    assertThat(working).as("where it ran").isEmptyDirectory();
    return said;
  }

  private List<String> dumps() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void isOneFileInTheDataDirectoryForItsOwnerAlone() throws Exception {
    fill(true);
    Path dump = folder.resolve("heap.hprof");
    assertThat(dumps()).containsExactly("heap.hprof");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dump)))
        .isEqualTo("rw-------");
    FileTime written = Files.getLastModifiedTime(dump);
    assertThat(fill(true)).contains("there is a heap dump of").contains("no other is written");
    assertThat(dumps()).containsExactly("heap.hprof");
    assertThat(Files.getLastModifiedTime(dump)).isEqualTo(written);
  }

  @Test
  void isNotWrittenWhereItIsNotWanted() throws Exception {
    fill(false);
    assertThat(dumps()).isEmpty();
  }

  @Test
  void leavesOptionsOfTheOperatorAlone() throws Exception {
    fill(true, "-XX:-HeapDumpOnOutOfMemoryError");
    assertThat(dumps()).isEmpty();
  }
}
