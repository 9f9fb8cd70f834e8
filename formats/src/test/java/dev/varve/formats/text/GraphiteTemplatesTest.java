package dev.varve.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class GraphiteTemplatesTest {
  private static String series(String path, String... rules) {
    return GraphiteTemplates.of(List.of(rules)).series(path).toString();
  }

  @Test
  void takesTheWholePathWhereNothingIsSaid() {
    assertThat(GraphiteTemplates.NONE.series("a.b.c")).hasToString("a.b.c{}");
    assertThat(series("a.b", "x.* host.measurement")).isEqualTo("a.b{}");
  }

  @Test
  void namesTheSteps() {
    assertThat(series("web1.cpu.user", "host.measurement.field"))
        .isEqualTo("cpu{host=\"web1\"}#user");
    assertThat(series("servers.web1.cpu.load.short", ".host.measurement*"))
        .isEqualTo("cpu.load.short{host=\"web1\"}");
    assertThat(series("cpu.web1.a.b", "measurement.host.field*"))
        .isEqualTo("cpu{host=\"web1\"}#a.b");
    assertThat(series("eu.west.web1.cpu", "region.region.host.measurement"))
        .isEqualTo("cpu{host=\"web1\",region=\"eu.west\"}");
    assertThat(series("a.b.c.d", "measurement.x")).isEqualTo("a{x=\"b\"}");
    assertThat(series("a.b", "host.name")).isEqualTo("a.b{host=\"a\",name=\"b\"}");
    assertThat(series("a", "host.measurement")).isEqualTo("a{host=\"a\"}");
  }

  @Test
  void choosesTheMostSpecificFilterAndAddsItsTags() {
    String[] rules = {
      "measurement* from=any",
      "servers.* .host.measurement* from=servers",
      "servers.db.* .host.measurement* from=db,role=store",
    };
    assertThat(series("servers.db.io", rules))
        .isEqualTo("io{from=\"db\",host=\"db\",role=\"store\"}");
    assertThat(series("servers.web.io", rules)).isEqualTo("io{from=\"servers\",host=\"web\"}");
    assertThat(series("other.io", rules)).isEqualTo("other.io{from=\"any\"}");
  }

  @Test
  void refusesWhatIsNoRule() {
    assertThatThrownBy(() -> series("a", ""))
        .hasMessage("template '': expected [filter ]template[ tag=value,...]");
    assertThatThrownBy(() -> series("a", "a b c"))
        .hasMessage("template 'a b c': expected [filter ]template[ tag=value,...]");
    assertThatThrownBy(() -> series("a", "measurement*.host"))
        .hasMessage("template 'measurement*.host': nothing can follow measurement*");
    assertThatThrownBy(() -> series("a", "host*"))
        .hasMessage("template 'host*': only measurement* and field* take several steps");
    assertThatThrownBy(() -> series("a", "host x="))
        .hasMessage("template 'host x=': 'x=' is not tag=value");
  }
}
