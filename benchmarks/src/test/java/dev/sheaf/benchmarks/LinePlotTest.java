package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class LinePlotTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void drawn_anyScale_everyPointLiesBetweenTheAxes(boolean logarithmic) throws Exception {
    Document svg = parsed(plot(logarithmic, List.of(3.0, 250_000.0, 0.5)));

    NodeList points = svg.getElementsByTagName("circle");
    assertThat(points.getLength()).isEqualTo(3);
    for (int i = 0; i < points.getLength(); i++) {
      String y = points.item(i).getAttributes().getNamedItem("cy").getNodeValue();
      assertThat(Double.parseDouble(y)).isBetween(50.0, 340.0);
    }
  }

  @Test
  void drawn_gapInACurve_isNoPointAndNoZero() throws Exception {
    Document svg = parsed(plot(true, Arrays.asList(3.0, null, 5.0)));

    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(2);
    assertThat(svg.getElementsByTagName("desc").item(0).getTextContent())
        .isEqualTo("A & B: 1 3.00 100 5.00;");
  }

  private static LinePlot plot(boolean logarithmic, List<@Nullable Double> values) {
    return new LinePlot(
        "Times <of> something",
        List.of("1", "10", "100"),
        "steps",
        logarithmic,
        List.of(new LinePlot.Curve("A & B", values)),
        List.of("a note"));
  }

  private static Document parsed(LinePlot plot)
      throws ParserConfigurationException, IOException, SAXException {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(plot.drawn())));
  }
}
