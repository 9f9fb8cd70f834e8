package dev.varve.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Tags;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys as InfluxDB's {@code SHOW SERIES} spells them. */
class InfluxSeriesTest {
  @Test
  void escapesBelongToSeparatorsAlone() {
    assertThat(InfluxSeries.key("a,b", "a\\,b,host=x\\,y,the\\ name=p\\=q").tags())
        .isEqualTo(Tags.of(Map.of("host", "x,y", "the name", "p=q")));
    assertThat(InfluxSeries.key("m", "m,path=c:\\dir").tags())
        .isEqualTo(Tags.of(Map.of("path", "c:\\dir")));
    assertThat(InfluxSeries.key("m", "m").tags()).isEqualTo(Tags.EMPTY);
  }
}
