package dev.varve.server.heroic.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupHashTest {
  /** Published values of MurmurHash3_x86_32 with seed 0. */
  @Test
  void isMurmurHash3() {
    assertThat(GroupHash.murmur(new byte[0])).isZero();
    assertThat(GroupHash.murmur("hello".getBytes(UTF_8))).isEqualTo(0x248bfa47);
    assertThat(GroupHash.murmur("hello, world".getBytes(UTF_8))).isEqualTo(0x149bbb7f);
  }
}
