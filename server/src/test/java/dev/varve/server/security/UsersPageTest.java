package dev.varve.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The users files of the page are read as they stand. */
class UsersPageTest {
  private static final Path PAGE = Path.of("../docs/operations/security.md");
  private static final Pattern BLOCK = Pattern.compile("(?s)```yaml\\n(.*?)```");

  @TempDir private Path folder;

  private static List<String> blocks(String begin) throws IOException {
    List<String> found = new ArrayList<>();
    Matcher blocks = BLOCK.matcher(Files.readString(PAGE));
    while (blocks.find()) {
      if (blocks.group(1).startsWith(begin)) {
        found.add(blocks.group(1));
      }
    }
    return found;
  }

  @Test
  void everyUsersFileOfThePageIsTaken() throws IOException {
    String passwords = blocks("tls_server_config:").getFirst();
    Path web = folder.resolve("web.yml");
    Files.writeString(web, passwords.substring(passwords.indexOf("basic_auth_users:")));
    List<String> names = new ArrayList<>();
    for (String users : blocks("users:")) {
      Path file = folder.resolve("users.yml");
      Files.writeString(file, users);
      names.addAll(AccessRules.read(new AccessFiles(web, file, false)).names());
    }
    assertThat(names)
        .containsExactly(
            "grafana",
            "agent",
            "deployer",
            "collector",
            "backup-job",
            "operators",
            "everyone-else",
            "red-team");
  }
}
