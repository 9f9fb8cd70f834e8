package dev.varve.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreMemoryTest {
  @ParameterizedTest
  @CsvSource({"128,32", "512,64", "1024,128", "2048,256", "65536,256"})
  void isAnEighthWithinBounds(long availableMegabytes, long megabytes) {
    assertThat(StoreMemory.of(availableMegabytes << 20)).isEqualTo(megabytes << 20);
  }
}
