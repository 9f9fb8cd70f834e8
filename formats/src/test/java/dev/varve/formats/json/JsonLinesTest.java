package dev.varve.formats.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;

class JsonLinesTest {
  @Test
  void closesNoObjectThatIsStillOpen() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeNumberProperty("rows", 1);
    }
    assertThat(out.toString(UTF_8)).isEqualTo("{\"rows\":1");
  }
}
