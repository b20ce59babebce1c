/** The pages of the web process in a real browser, against answers of the API that a test sets. */
package dev.sailfish.system.web;
