package dev.varve.server.graphite;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Reads arbitrary bytes as pickles. */
class PickleBytesTest {
  @Property(tries = 2000)
  void endsInAValueOrARefusalWhateverComes(@ForAll byte[] bytes) {
    try {
      assertThat(Pickle.read(bytes, held -> {})).isNotNull();
    } catch (PickleException e) {
      assertThat(e).hasMessageStartingWith("pickle, byte ");
    }
  }
}
