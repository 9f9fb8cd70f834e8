package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A new operator follows the page on installing: every block of commands runs as it stands there,
 * in its order. Paths of the machine lie below the folder of the test, and commands that need root
 * have stand-ins.
 */
class InstallIT {
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\\n(.*?)```");
  private static final Pattern QUERY = Pattern.compile("varve query first ");

  private final Path place = Checkout.fresh("install");
  private final int port = Ports.free();

  @Test
  void thePageLeadsFromTheArchiveToAnUpgrade() throws Exception {
    Path archive = Distribution.archive();
    Files.copy(archive, place.resolve(archive.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    for (String folder : List.of("etc/systemd/system", "opt", "var/lib", "mnt")) {
      Files.createDirectories(place.resolve(folder));
    }
    List<String> blocks = blocks();
    assertThat(blocks).hasSizeGreaterThan(6);
    assertThat(String.join("", blocks)).contains(archive.getFileName().toString());
    int queries = 0;
    for (String block : blocks) {
      String out = run(block).success();
      int asked = Math.toIntExact(QUERY.matcher(block).results().count());
      assertThat(out.lines().filter(line -> line.matches("first\\b.*\\b1(\\.0)?")))
          .as("%s%n%s", block, out)
          .hasSize(asked);
      queries += asked;
    }
    assertThat(queries).as("over TLS, locally, restored, upgraded").isEqualTo(4);
    assertSystemdKnowsTheUnit();
    String url = "https://localhost:" + port + "/api/v1/query?query=first";
    assertThat(run("curl -sk -o /dev/null -w '%{http_code}' '" + url + "'").success())
        .as("without a password")
        .isEqualTo("401");
    assertThat(run("systemctl stop varve").success()).isEmpty();
    assertThat(Checkout.read(place.resolve("log"))).contains("varve: stopping");
  }

  /** A directive that systemd does not know is a warning there, and the code is 0. */
  private void assertSystemdKnowsTheUnit() throws IOException, InterruptedException {
    Path systemd = Checkout.program("systemd-analyze", "systemd");
    Checkout.Outcome verified =
        Checkout.run(
            new ProcessBuilder(
                systemd.toString(),
                "verify",
                "--man=no",
                place.resolve("etc/systemd/system/varve.service").toString()));
    assertThat(verified.success() + verified.err()).as("%s", verified).isBlank();
  }

  private List<String> blocks() throws IOException {
    return BLOCK
        .matcher(Files.readString(Checkout.root().resolve("docs/operations/install.md")))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  private Checkout.Outcome run(String block) throws IOException, InterruptedException {
    String here =
        block
            .replaceAll("(?<![\\w/])/(opt|etc|mnt|var/lib)/", place + "/$1/")
            .replace("4242", Integer.toString(port));
    ProcessBuilder builder = new ProcessBuilder("sh", "-euc", here).directory(place.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("VARVE_"));
    Path standIns = Checkout.root().resolve("acceptance/src/test/sh/stand-ins");
    environment.put("PATH", standIns + ":" + environment.get("PATH"));
    environment.put("PLACE", place.toString());
    environment.put("PORT", Integer.toString(port));
    environment.put("VARVE_JAVA_HOME", System.getProperty("java.home"));
    environment.put("VARVE_AOT", "off");
    environment.put("VARVE_HEAP", "256m");
    environment.put("VARVE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    return Checkout.run(builder);
  }

  @AfterEach
  void endTheServer() throws Exception {
    Path pid = place.resolve("pid");
    if (Files.exists(pid)) {
      Optional<ProcessHandle> server =
          ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
      if (server.isPresent()) {
        server.get().destroyForcibly();
        server.get().onExit().get(30, TimeUnit.SECONDS);
      }
    }
  }
}
