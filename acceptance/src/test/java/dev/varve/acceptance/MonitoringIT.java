package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.Prometheus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Prometheus' own tool accepts the alerting rules, their tests, and what the dashboard asks. */
@Execution(ExecutionMode.CONCURRENT)
class MonitoringIT {
  private static final Path MONITORING = Checkout.root().resolve("packaging/monitoring");

  @Test
  void theAlertsAreRulesOfPrometheusAndFireWhenTheyShall() throws Exception {
    assertThat(promtool("check", "rules", "--lint-fatal", "alerts.yml")).contains("31 rules found");
    assertThat(promtool("test", "rules", "alerts.test.yml")).contains("SUCCESS");
  }

  @Test
  void theQueriesOfTheDashboardArePromQl() throws Exception {
    String dashboard = Files.readString(MONITORING.resolve("grafana/dashboards/varve.json"));
    StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
    int panels = 0;
    for (Object panel : (List<?>) Json.object(dashboard).getOrDefault("panels", List.of())) {
      Object targets = Json.members(panel).get("targets");
      for (Object target : targets == null ? List.of() : (List<?>) targets) {
        Map<String, Object> members = Json.members(target);
        String expression = String.valueOf(members.get("expr")).replace("$__rate_interval", "5m");
        rules
            .append("  - record: panel_%d\n".formatted(panels++))
            .append("    expr: '%s'\n".formatted(expression.replace("'", "''")));
      }
    }
    Path file = Checkout.fresh("monitoring").resolve("dashboard.yml");
    Files.writeString(file, rules);
    assertThat(panels).isGreaterThan(50);
    assertThat(promtool("check", "rules", file.toString())).contains(panels + " rules found");
  }

  private static String promtool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Prometheus.promtool().toString());
    command.addAll(List.of(arguments));
    return Checkout.run(new ProcessBuilder(command).directory(MONITORING.toFile())).success();
  }
}
