package dev.varve.devstores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortsTest {
  private static final String ADDRESS = "127.0.0.1";

  @TempDir private Path directory;

  @Test
  void areThoseOfTheLastTime() {
    List<Integer> first = Ports.kept(directory.resolve("new"), ADDRESS, 3);
    assertThat(first).doesNotHaveDuplicates().hasSize(3);
    assertThat(Ports.kept(directory.resolve("new"), ADDRESS, 3)).isEqualTo(first);
  }

  @Test
  void areOthersWhereOneIsTakenOrTheirNumberIsAnother() throws IOException {
    List<Integer> first = Ports.kept(directory, ADDRESS, 2);
    try (ServerSocket taken = new ServerSocket(first.get(1), 1, InetAddress.getLoopbackAddress())) {
      assertThat(Ports.kept(directory, ADDRESS, 2)).doesNotContain(taken.getLocalPort());
    }
    assertThat(Ports.kept(directory, ADDRESS, 1)).hasSize(1);
  }

  @Test
  void thatCannotBeReadAreNamedByTheirFile() throws IOException {
    Files.writeString(directory.resolve("ports"), "4242, or so\n");
    assertThatThrownBy(() -> Ports.kept(directory, ADDRESS, 1))
        .isInstanceOf(DevStoreException.class)
        .hasMessageContaining(directory.resolve("ports").toString());
  }
}
