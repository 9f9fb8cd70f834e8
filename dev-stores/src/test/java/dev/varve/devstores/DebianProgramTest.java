package dev.varve.devstores;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DebianProgramTest {
  @Test
  void saysWhichCommandFetchesWhatIsMissing() {
    assertThatThrownBy(() -> DebianProgram.find("no-such-package", "no-such-program"))
        .isInstanceOf(DevStoreException.class)
        .hasMessageContaining("no-such-program is missing")
        .hasMessageContaining("parts/debian/fetch no-such-package");
  }
}
