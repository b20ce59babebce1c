package dev.sailfish.system.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.awaitility.core.ThrowingRunnable;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium, without a window, in UTC. One thread at a time. */
public final class Browser implements AutoCloseable {
  private static final Path BINARY = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final String AXE = "axe.min.js";
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Starts one. */
  public static Browser open() {
    return withFlags();
  }

  /** Starts one with these on Chromium's command line, besides those of all tests. */
  public static Browser withFlags(String... flags) {
    return withEnvironment(Map.of(), flags);
  }

  /** The same with further variables in Chromium's environment. */
  public static Browser withEnvironment(Map<String, String> variables, String... flags) {
    Map<String, String> environment = new HashMap<>(variables);
    environment.put("TZ", "UTC");
    for (Path wanted : List.of(BINARY, DRIVER)) {
      assertThat(wanted).as("of Debian's packages chromium and chromium-driver").exists();
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BINARY.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--lang=en");
    options.addArguments(flags);
    options.setAcceptInsecureCerts(false);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .withEnvironment(environment)
            .build();
    Browser browser = new Browser(new ChromeDriver(service, options));
    browser.size(1440, 1000);
    return browser;
  }

  @Override
  public void close() {
    driver.quit();
  }

  /** Opens an address anew, with nothing remembered of what was before. */
  public void open(String address) {
    driver.get("about:blank");
    driver.get(address);
  }

  public String address() {
    return driver.getCurrentUrl();
  }

  public String title() {
    return driver.getTitle();
  }

  /** The viewport, in CSS pixels. */
  public void size(int width, int height) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** What the system's theme is from now on. */
  public void dark(boolean on) {
    Map<String, String> scheme =
        Map.of("name", "prefers-color-scheme", "value", on ? "dark" : "light");
    Map<String, String> motion = Map.of("name", "prefers-reduced-motion", "value", "reduce");
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia", Map.of("media", "", "features", List.of(scheme, motion)));
  }

  /** A cookie of the page that is open; null: there is none. */
  public Cookie cookie(String name) {
    return driver.manage().getCookieNamed(name);
  }

  /** Waits until an assertion holds. */
  public void until(ThrowingRunnable holds) {
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(holds);
  }

  /** Waits until an assertion holds, for as long as something outside the browser may take. */
  public void until(Duration patience, ThrowingRunnable holds) {
    await().atMost(patience).pollInterval(Duration.ofMillis(100)).untilAsserted(holds);
  }

  /** The first element of a selector, as soon as it is seen. */
  public WebElement see(String css) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .ignoreExceptions()
        .until(() -> driver.findElement(By.cssSelector(css)).isDisplayed());
    return driver.findElement(By.cssSelector(css));
  }

  public List<WebElement> all(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** Waits until an element's words contain these. */
  public void seeWords(String css, String words) {
    until(() -> assertThat(words(css)).as(css).contains(words));
  }

  /** An element's words, seen or not; empty if there is no such element. */
  public String words(String css) {
    return (String) script("return document.querySelector(arguments[0])?.textContent ?? '';", css);
  }

  /** The exact value of a figure that is shown. */
  public String value(String css) {
    return (String)
        script("return document.querySelector(arguments[0])?.dataset.value ?? '';", css);
  }

  public void click(String css) {
    see(css).click();
  }

  public Object script(String code, Object... arguments) {
    return driver.executeScript(code, arguments);
  }

  /** Presses keys, one after the other, on what has the focus. */
  public void press(CharSequence... keys) {
    for (CharSequence key : keys) {
      new Actions(driver).sendKeys(key).perform();
    }
  }

  /** What has the focus, as a person would call it. */
  public String focused() {
    return (String)
        script(
            """
            const at = document.activeElement;
            return at === null ? "nothing" : [at.tagName.toLowerCase(), at.id,
              (at.getAttribute("aria-label") ?? at.textContent ?? "").trim().slice(0, 60)]
              .filter(Boolean).join(" ");
            """);
  }

  /**
   * Walks the page by the Tab key.
   *
   * @return what can be used and was not reached, or was reached without a visible mark
   */
  public List<String> unreachable() {
    script(
        """
        document.activeElement?.blur();
        window.scrollTo(0, 0);
        window.reachedBy = new Set();
        window.unmarked = [];
        window.usable = () => [...document.querySelectorAll(
            "a[href], button, input, select, summary, [tabindex='0']")]
          .filter((one) => !one.disabled && one.tabIndex >= 0)
          .filter((one) => one.checkVisibility() && one.closest("dialog") === null);
        document.addEventListener("focusin", ({target}) => {
          window.reachedBy.add(target);
          const style = getComputedStyle(target);
          const marked = style.outlineStyle !== "none" || target.closest("svg") !== null;
          if (!marked && target.matches(":focus-visible")) {
            window.unmarked.push("no mark: " + target.outerHTML.slice(0, 120));
          }
        });
        """);
    long usable = (Long) script("return window.usable().length;");
    for (long i = 0; i < usable + 5; i++) {
      press(Keys.TAB);
    }
    @SuppressWarnings("unchecked")
    List<String> missed =
        (List<String>)
            script(
                """
                return window.unmarked.concat(window.usable()
                  .filter((one) => !window.reachedBy.has(one))
                  .map((one) => "not reached: " + one.outerHTML.slice(0, 120)));
                """);
    return missed;
  }

  /** Faults of accessibility that axe finds, a line each. */
  public List<String> accessibilityFaults() throws IOException {
    try (InputStream in = Browser.class.getClassLoader().getResourceAsStream(AXE)) {
      assertThat(in).as("axe in %s", AXE).isNotNull();
      script(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
    driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
    Object found =
        driver.executeAsyncScript(
            """
            const done = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ["violations"]}).then(
              (result) => done(result.violations.flatMap((fault) => fault.nodes.map((node) =>
                fault.impact + " " + fault.id + ": " + fault.help + " at " + node.target.join(" ")
                + " " + (node.any[0]?.message ?? "")))),
              (error) => done(["axe failed: " + error]));
            """);
    List<String> faults = new ArrayList<>();
    ((List<?>) found).forEach(fault -> faults.add(String.valueOf(fault)));
    return faults;
  }

  /**
   * What the browser has complained about since the last call: scripts, and what the policy
   * forbids.
   */
  public List<String> complaints() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .filter(message -> !message.contains("Failed to load resource"))
        .toList();
  }

  /** Writes a picture of the whole page, as wide as the viewport is to be. */
  public void picture(Path file, int width) throws IOException {
    size(width, 800);
    until(() -> assertThat(script("return innerWidth;")).isEqualTo((long) width));
    long height = (Long) script("return document.documentElement.scrollHeight;");
    size(width, (int) Math.min(4000, Math.max(500, height)));
    drawn();
    Files.createDirectories(file.getParent());
    Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
  }

  /** Waits until the browser has drawn what scripts have changed. */
  public void drawn() {
    driver.executeAsyncScript(
        """
        const done = arguments[arguments.length - 1];
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
        """);
  }

  /** A value that a supplier gives without an error, as soon as it does. */
  public <T> T get(Supplier<T> supplier) {
    return await().atMost(PATIENCE).ignoreExceptions().until(supplier::get, value -> value != null);
  }
}
