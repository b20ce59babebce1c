package dev.sailfish.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.benchmarks.figures.Figure.Kind;
import dev.sailfish.benchmarks.figures.Figure.Series;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class FigureTest {
  private static Figure figure(Kind kind) {
    return new Figure(
        "f",
        "A <title> & more",
        "job, shuffle",
        "s",
        kind,
        List.of("LogCount stock", "b", "\"c\""),
        List.of(
            new Series("map", List.of(1.0, 2.5, 20.0)),
            new Series("reduce", List.of(4.0, Double.NaN))));
  }

  private static Document svg(Kind kind) throws Exception {
    return svg(figure(kind));
  }

  private static Document svg(Figure figure) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(figure.svg())));
  }

  private static double attribute(Document svg, String element, int index, String name) {
    return Double.parseDouble(
        ((Element) svg.getElementsByTagName(element).item(index)).getAttribute(name));
  }

  @Test
  void csvHasALinePerCategoryAndNothingWhereThereIsNoValue() {
    assertThat(figure(Kind.LINES).csv())
        .isEqualTo(
            "\"job, shuffle\",map s,reduce s\nLogCount stock,1,4\nb,2.5,\n\"\"\"c\"\"\",20,\n");
  }

  @Test
  void numbersHaveNoZerosAtTheirEnd() {
    assertThat(Figure.number(1200)).isEqualTo("1200");
    assertThat(Figure.number(0.1234)).isEqualTo("0.123");
    assertThat(Figure.number(0)).isEqualTo("0");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void svgIsXmlAndShowsEachValue(Kind kind) throws Exception {
    Document svg = svg(kind);
    assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
    assertThat(svg.getElementsByTagName("title").getLength()).isEqualTo(4);
    assertThat(svg.getElementsByTagName("title").item(1).getTextContent())
        .isEqualTo("b, map: 2.5 s");
    assertThat(svg.getDocumentElement().getTextContent()).contains("A <title> & more");
    assertThat(svg.getElementsByTagName("polyline").getLength())
        .isEqualTo(kind == Kind.LINES ? 2 : 0);
  }

  private static Figure lines(int categories, int series) {
    List<Double> values = IntStream.range(0, categories).mapToObj(i -> (double) i).toList();
    return new Figure(
        "f",
        "title",
        "nodes",
        "MB/s",
        Kind.LINES,
        IntStream.range(0, categories).mapToObj(Integer::toString).toList(),
        IntStream.range(0, series)
            .mapToObj(i -> new Series("a series with a long name " + i, values))
            .toList());
  }

  @Test
  void aLegendOfManySeriesHasRowsAboveThePlot() throws Exception {
    Document svg = svg(lines(3, 7));
    Set<String> places = new HashSet<>();
    Set<String> colours = new HashSet<>();
    for (int i = 1; i <= 7; i++) {
      Element box = (Element) svg.getElementsByTagName("rect").item(i);
      places.add(box.getAttribute("x") + " " + box.getAttribute("y"));
      colours.add(box.getAttribute("fill"));
      assertThat(attribute(svg, "rect", i, "x")).isLessThan(960 - 240);
    }
    assertThat(places).hasSize(7);
    assertThat(colours).hasSize(7);
    NodeList grid = svg.getElementsByTagName("line");
    double top = attribute(svg, "line", grid.getLength() - 1, "y1");
    assertThat(attribute(svg, "rect", 7, "y") + 12).isLessThan(top);
  }

  @Test
  void manyLabelsAreThinnedOutToRoundOnes() throws Exception {
    Document svg = svg(lines(521, 1));
    List<String> shown = new ArrayList<>();
    NodeList texts = svg.getElementsByTagName("text");
    for (int i = 0; i < texts.getLength(); i++) {
      Element text = (Element) texts.item(i);
      if (text.getAttribute("y").equals("436.0")) {
        shown.add(text.getTextContent());
      }
    }
    assertThat(shown).startsWith("0", "20", "40").endsWith("520").hasSize(27);
  }

  @Test
  void aLineOfManyPointsTellsItsNameInsteadOfEachValue() throws Exception {
    Document svg = svg(lines(521, 2));
    assertThat(svg.getElementsByTagName("circle").getLength()).isZero();
    NodeList titles = svg.getElementsByTagName("title");
    assertThat(titles.getLength()).isEqualTo(2);
    assertThat(titles.item(1).getTextContent()).isEqualTo("a series with a long name 1");
  }

  @Test
  void aLineThatLiesOnAnEarlierOneIsDashed() throws Exception {
    Document svg = svg(lines(3, 2));
    NodeList lines = svg.getElementsByTagName("polyline");
    assertThat(((Element) lines.item(0)).getAttribute("stroke-dasharray")).isEmpty();
    assertThat(((Element) lines.item(1)).getAttribute("stroke-dasharray")).isEqualTo("8 8");
  }

  @Test
  void aStackedBarStandsOnTheOneBelow() throws Exception {
    Document svg = svg(Kind.STACKED);
    int first = 3; // background and legend come before
    int onTop = first + 3;
    double bottom = attribute(svg, "rect", onTop, "y") + attribute(svg, "rect", onTop, "height");
    assertThat(bottom).isEqualTo(attribute(svg, "rect", first, "y"));
    assertThat(attribute(svg, "rect", onTop, "x")).isEqualTo(attribute(svg, "rect", first, "x"));
  }

  @Test
  void groupedBarsStandOnTheAxisSideBySide() throws Exception {
    Document svg = svg(Kind.GROUPED);
    int first = 3;
    int beside = first + 3;
    assertThat(attribute(svg, "rect", beside, "x"))
        .isGreaterThan(attribute(svg, "rect", first, "x"));
    assertThat(attribute(svg, "rect", beside, "height"))
        .isGreaterThan(attribute(svg, "rect", first, "height"));
  }
}
