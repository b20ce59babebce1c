package dev.sailfish.system.web;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Tests of pages in one browser, with the sample cluster as it was before each of them. */
abstract class InBrowser {
  static Pages pages;

  Browser browser;

  @BeforeAll
  static void open() throws Exception {
    pages = Pages.open();
  }

  @AfterAll
  static void close() {
    pages.close();
  }

  @BeforeEach
  void begin() {
    pages.begin();
    browser = pages.browser();
  }
}
