package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaVersionTest {
  @ParameterizedTest
  @ValueSource(strings = {"25", "25-ea", "25.0.1", "25.0.1+8", "25.0.2", "25.0.2+10-LTS"})
  void versionsThatMovePinnedArraysAreRefusedWithTheReason(String version) {
    assertThat(JavaVersion.refusal(Runtime.Version.parse(version)))
        .contains(version, "JDK-8377811", "25.0.3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"25.0.3", "25.0.3+9-LTS", "25.0.10", "25.1", "26"})
  void laterVersionsAreNot(String version) {
    assertThat(JavaVersion.refusal(Runtime.Version.parse(version))).isNull();
  }
}
