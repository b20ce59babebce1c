package dev.sailfish.system.web;

import java.io.IOException;

/** The pages in a browser, with answers of an API that a test sets. One thread at a time. */
final class Pages implements AutoCloseable {
  private final StubApi api;
  private final Browser browser;

  private Pages(StubApi api, Browser browser) {
    this.api = api;
    this.browser = browser;
  }

  /** Starts both. */
  static Pages open() throws IOException {
    StubApi api = StubApi.start();
    try {
      return new Pages(api, Browser.open());
    } catch (RuntimeException | Error e) {
      api.close();
      throw e;
    }
  }

  /** As after a start: answers are {@link Samples}, the theme is light, the window wide. */
  void begin() {
    browser.open("about:blank");
    api.clear();
    browser.complaints();
    browser.dark(false);
    browser.size(1440, 1000);
    new Samples().answerAll(api);
  }

  StubApi api() {
    return api;
  }

  Browser browser() {
    return browser;
  }

  /** Opens a page. */
  void go(String path) {
    browser.open(api.address(path));
  }

  @Override
  public void close() {
    browser.close();
    api.close();
  }
}
