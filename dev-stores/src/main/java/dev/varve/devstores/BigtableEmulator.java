package dev.varve.devstores;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Google's Bigtable emulator, a program that needs no Java.
 *
 * <p>It keeps everything in memory and has no option to change that: after {@link #kill()} and
 * {@link #restart()} it listens at the same address and is empty. It can show what a store does
 * during an outage of Bigtable, but not that cells survive.
 */
public final class BigtableEmulator extends ProcessStore {
  private static final String PART = "bigtable";
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration STOP = Duration.ofSeconds(5);
  private static final int CONNECT_MILLIS = 200;

  private final Path directory;
  private final Path binary;
  private final int port;

  private BigtableEmulator(Path directory, Path binary, int port) {
    super(STOP);
    this.directory = directory;
    this.binary = binary;
    this.port = port;
  }

  /**
   * Starts the emulator on a free port, if possible the previous one of the directory, and returns
   * once it listens.
   *
   * @param directory receives the program and its output
   */
  public static BigtableEmulator start(Path directory) {
    return start(directory, Ports.kept(directory, "127.0.0.1", 1).getFirst());
  }

  /** Starts the emulator on a port of 127.0.0.1 and returns once it listens. */
  public static BigtableEmulator start(Path directory, int port) {
    BigtableEmulator emulator = new BigtableEmulator(directory, unpack(directory), port);
    emulator.begin();
    emulator.awaitReady();
    return emulator;
  }

  /** Extracts the program for this machine from the jar that contains those for all platforms. */
  private static Path unpack(Path directory) {
    String entry =
        "gcloud/bigtable-%s/platform/bigtable-emulator/cbtemulator".formatted(platform());
    Path binary = directory.resolve("cbtemulator");
    try (JarFile jar = new JarFile(jar().toFile())) {
      ZipEntry program = jar.getEntry(entry);
      if (program == null) {
        throw new DevStoreException(
            "%s has no Bigtable emulator for this machine: no %s in it"
                .formatted(jar.getName(), entry));
      }
      Files.createDirectories(directory);
      try (InputStream bytes = jar.getInputStream(program)) {
        Files.copy(bytes, binary, StandardCopyOption.REPLACE_EXISTING);
      }
      Files.setPosixFilePermissions(binary, PosixFilePermissions.fromString("rwxr-xr-x"));
      return binary;
    } catch (IOException e) {
      throw new DevStoreException(
          "cannot unpack the Bigtable emulator into %s: %s".formatted(directory, e.getMessage()),
          e);
    }
  }

  private static Path jar() throws IOException {
    Path lib = Parts.lib(PART);
    try (Stream<Path> jars = Files.list(lib)) {
      return jars.filter(
              jar -> jar.getFileName().toString().startsWith("google-cloud-bigtable-emulator-core"))
          .findFirst()
          .orElseThrow(() -> new DevStoreException("no jar of the Bigtable emulator in " + lib));
    }
  }

  /** Returns the jar's name for this platform, such as {@code linux-x86_64}. */
  private static String platform() {
    boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
    boolean arm = System.getProperty("os.arch").matches("aarch64|arm64");
    return (mac ? "darwin" : "linux") + "-" + (arm ? "arm" : "x86_64");
  }

  @Override
  ChildProcess launch() {
    return ChildProcess.start(
        "the Bigtable emulator",
        List.of(binary.toString(), "-address", address()),
        directory,
        Map.of(),
        log());
  }

  @Override
  void awaitReady() {
    process().await("connection to " + address(), this::listens, START);
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns host and port. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  @Override
  public String kind() {
    return PART;
  }

  @Override
  public Map<String, String> options() {
    return Map.of("emulator", address(), "project", "dev", "instance", "dev");
  }

  @Override
  public Path log() {
    return directory.resolve("emulator.log");
  }
}
