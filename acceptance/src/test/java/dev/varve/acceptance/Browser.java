package dev.varve.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real Chromium without a window. */
final class Browser implements AutoCloseable {
  private static final Duration WAIT_MAX = Duration.ofSeconds(20);
  private static final Dimension DESK = new Dimension(1200, 1000);
  private static final Duration SCRIPT_MAX = Duration.ofMinutes(2);
  private static final String AXE_POM = "META-INF/maven/org.webjars.npm/axe-core/pom.properties";
  private static final String AXE = axe();

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /**
   * Starts a browser.
   *
   * @throws AssertionError with the command that installs it if it is missing
   */
  static Browser start() {
    Path chromium = Checkout.program("chromium", "chromium chromium-driver");
    Path chromedriver = Checkout.program("chromedriver", "chromium chromium-driver");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium.toString());
    options.addArguments(
        "--headless=new",
        // Tests may run as root, for whom Chromium has no sandbox; they visit only their own
        // server.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        // On a busy machine, Chromium 156 else sends clicks to the page before, which it has kept.
        "--disable-features=BackForwardCache,RenderDocument",
        "--force-color-profile=srgb");
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder().usingDriverExecutable(chromedriver.toFile()).build();
    ChromeDriver driver = new ChromeDriver(service, options);
    driver.manage().window().setSize(DESK);
    driver.manage().timeouts().scriptTimeout(SCRIPT_MAX);
    return new Browser(driver);
  }

  /** Opens a page and waits until it receives what is typed and clicked. */
  void open(String address) {
    driver.get(address);
    wait(() -> Boolean.TRUE.equals(run("return document.hasFocus()")) ? true : null, "focus");
  }

  String address() {
    return String.valueOf(driver.getCurrentUrl());
  }

  void back() {
    driver.navigate().back();
  }

  /** Returns the first element of a selector as soon as it is shown. */
  WebElement see(String selector) {
    return wait(
        () -> {
          List<WebElement> found = driver.findElements(By.cssSelector(selector));
          return found.isEmpty() || !found.getFirst().isDisplayed() ? null : found.getFirst();
        },
        selector);
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** Waits until the text of an element contains another. */
  void see(String selector, String text) {
    wait(
        () ->
            all(selector).stream().anyMatch(element -> element.getText().contains(text))
                ? true
                : null,
        selector + " with " + text);
  }

  /** Waits until a question has an answer that is not null. */
  private <T> T wait(Supplier<@Nullable T> question, String what) {
    long end = System.nanoTime() + WAIT_MAX.toNanos();
    while (System.nanoTime() < end) {
      try {
        T answer = question.get();
        if (answer != null) {
          return answer;
        }
      } catch (StaleElementReferenceException e) {
        // The page was drawn anew meanwhile.
      }
      VarveProcess.sleep(50);
    }
    throw new AssertionError(
        "no %s at %s, which shows:%n%s%n-- its console%n%s"
            .formatted(what, address(), shown(), String.join("\n", takeConsole())));
  }

  private String shown() {
    return driver.findElement(By.tagName("body")).getText();
  }

  void click(String selector) {
    see(selector).click();
  }

  /** Clicks a button or link by its text. */
  void clickText(String selector, String text) {
    wait(
            () ->
                all(selector).stream()
                    .filter(element -> element.getText().strip().equals(text))
                    .findFirst()
                    .orElse(null),
            selector + " with " + text)
        .click();
  }

  /** Replaces the text of a field. */
  void type(String selector, CharSequence... keys) {
    WebElement field = see(selector);
    field.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE);
    field.sendKeys(keys);
  }

  void press(String selector, CharSequence... keys) {
    see(selector).sendKeys(keys);
  }

  /** Presses keys where the focus is. */
  void keys(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  void choose(String selector, String value) {
    see(selector + " option[value='" + value + "']").click();
  }

  /** Moves the mouse over an element. */
  void hover(WebElement element) {
    new Actions(driver).moveToElement(element).perform();
  }

  /** Drags the mouse over an element, from one share of its width to another. */
  void drag(WebElement element, double from, double to) {
    int width = element.getSize().getWidth();
    new Actions(driver)
        .moveToElement(element, (int) (width * (from - 0.5)), 0)
        .clickAndHold()
        .moveByOffset((int) (width * (to - from)), 0)
        .release()
        .perform();
  }

  /** Returns the value of an expression, in which {@code at} is a module of the console. */
  @Nullable Object of(String module, String expression) {
    return driver.executeAsyncScript(
        "const [module, done] = arguments;"
            + "import('./console/' + module).then((at) => done("
            + expression
            + "), (error) => done(String(error)));",
        module);
  }

  /** Returns the value of a script. */
  @Nullable Object run(String script) {
    return driver.executeScript(script);
  }

  /** Sends every request as a user with a password. */
  void logIn(String user, String password) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.setExtraHTTPHeaders",
        Map.of("headers", Map.of("Authorization", basic(user, password))));
  }

  /** Returns the header of a login with a password. */
  static String basic(String user, String password) {
    String pair = user + ":" + password;
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  /** Shows pages as on a screen of some size, in pixels. */
  void resize(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", true));
  }

  /** Returns to the usual size. */
  void restoreSize() {
    driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
  }

  /** Chooses the colours of the page, as a reader's system does. */
  void prefer(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Returns a picture of what is in sight, as PNG. */
  byte[] picture() {
    return driver.getScreenshotAs(OutputType.BYTES);
  }

  /** Returns a picture of an element, as PNG. */
  byte[] picture(WebElement element) {
    return element.getScreenshotAs(OutputType.BYTES);
  }

  /** Returns what axe finds on the page that is serious or critical for readers with aids. */
  List<String> barriers() {
    driver.executeScript(AXE);
    Object found =
        driver.executeAsyncScript(
            """
            const done = arguments[0];
            axe.run(document, {resultTypes: ['violations']}).then(
              (all) => done(all.violations
                .filter((one) => one.impact === 'serious' || one.impact === 'critical')
                .map((one) => one.id + ': ' + one.nodes.map((node) => node.html).join(' '))),
              (error) => done([String(error)]));
            """);
    return ((List<?>) Objects.requireNonNull(found)).stream().map(String::valueOf).toList();
  }

  private static String axe() {
    // The folder contains the version.
    try (InputStream properties = Browser.class.getResourceAsStream("/" + AXE_POM)) {
      Properties pom = new Properties();
      pom.load(Objects.requireNonNull(properties, AXE_POM));
      String file =
          "/META-INF/resources/webjars/axe-core/%s/axe.min.js".formatted(pom.get("version"));
      try (InputStream source = Browser.class.getResourceAsStream(file)) {
        return new String(Objects.requireNonNull(source, file).readAllBytes(), UTF_8);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns what was written to the console since the last call, violations of policies included.
   */
  List<String> takeConsole() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .map(LogEntry::toString)
        .toList();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
