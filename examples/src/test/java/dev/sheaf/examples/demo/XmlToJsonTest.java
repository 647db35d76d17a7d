package dev.sheaf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

class XmlToJsonTest {

  private final XmlToJson converter = new XmlToJson();

  @Test
  void toJson_nestedElements_keepsStructureAndOrder() throws Exception {
    assertThat(convert("<project><b>1</b><a><c> x </c></a></project>"))
        .isEqualTo("{\"b\":\"1\",\"a\":{\"c\":\"x\"}}");
  }

  @Test
  void toJson_repeatedElements_becomeAnArrayInOrder() throws Exception {
    assertThat(convert("<p><m>one</m><n>-</n><m>two</m><m><o/></m></p>"))
        .isEqualTo("{\"m\":[\"one\",\"two\",{\"o\":\"\"}],\"n\":\"-\"}");
  }

  @Test
  void toJson_attributesAndMixedText_areKept() throws Exception {
    assertThat(convert("<p><a self.closing='true'>text<b/>more</a></p>"))
        .isEqualTo("{\"a\":{\"@self.closing\":\"true\",\"b\":\"\",\"#text\":\"textmore\"}}");
  }

  @Test
  void toJson_cdataAndEscapes_areDecodedOnceAndWrittenAsJson() throws Exception {
    assertThat(convert("<p><a><![CDATA[<\"&amp;\">]]></a><b>&lt;\t&#233;</b></p>"))
        .isEqualTo("{\"a\":\"<\\\"&amp;\\\">\",\"b\":\"<\\té\"}");
  }

  @Test
  void toJson_realPom_losesNoText() throws Exception {
    Element project = converter.parse(Files.readAllBytes(Path.of("../pom.xml")));

    JsonNode json = new ObjectMapper().readTree(converter.toJson(project));

    List<String> inXml = new ArrayList<>();
    collect(project, inXml);
    List<String> inJson = new ArrayList<>();
    collect(json, inJson);
    assertThat(inXml).hasSizeGreaterThan(200);
    assertThat(inJson).containsExactlyInAnyOrderElementsOf(inXml);
    assertThat(json.at("/dependencyManagement/dependencies/dependency").size()).isGreaterThan(10);
  }

  @Test
  void parse_notWellFormed_isRefused() {
    assertThatThrownBy(() -> convert("<p><a></p>")).isInstanceOf(SAXException.class);
    assertThatThrownBy(() -> convert("")).isInstanceOf(SAXException.class);
    assertThatThrownBy(() -> convert("no XML at all")).isInstanceOf(SAXException.class);
  }

  @Test
  void parse_bytesThatAreNoUtf8_isRefused() {
    byte[] broken = {'<', 'p', '>', (byte) 0xC3, (byte) 0x28, '<', '/', 'p', '>'};
    assertThatThrownBy(() -> converter.parse(broken)).isInstanceOf(SAXException.class);
  }

  @Test
  @Timeout(180)
  void parse_entityBomb_isRefusedAtItsDoctype() {
    StringBuilder bomb = new StringBuilder("<!DOCTYPE p [<!ENTITY e0 \"boom\">");
    for (int i = 1; i < 30; i++) {
      String former = "&e" + (i - 1) + ";";
      bomb.append("<!ENTITY e").append(i).append(" \"").append(former.repeat(10)).append("\">");
    }
    bomb.append("]><p>&e29;</p>");
    assertThatThrownBy(() -> convert(bomb.toString()))
        .isInstanceOf(SAXException.class)
        .hasMessageContaining("DOCTYPE");
  }

  @Test
  void parse_externalEntity_isRefusedAndNotRead(@TempDir Path folder) throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "content of a file");
    String xml = "<!DOCTYPE p [<!ENTITY e SYSTEM \"" + secret.toUri() + "\">]><p>&e;</p>";
    assertThatThrownBy(() -> convert(xml))
        .isInstanceOf(SAXException.class)
        .hasMessageContaining("DOCTYPE");
  }

  @Test
  void toJson_deepestNesting_isConverted_andOneMoreRefused() throws Exception {
    assertThat(convert(nested(XmlToJson.MAX_DEPTH))).contains("bottom");
    assertThatThrownBy(() -> convert(nested(XmlToJson.MAX_DEPTH + 1)))
        .isInstanceOf(SAXException.class)
        .hasMessageContaining("MAX_DEPTH = 64");
  }

  @Test
  void toJson_absurdNesting_isRefusedWithoutStackOverflow() {
    assertThatThrownBy(() -> convert(nested(50_000))).isInstanceOf(SAXException.class);
  }

  private String convert(String xml) throws SAXException {
    return converter.toJson(converter.parse(xml.getBytes(StandardCharsets.UTF_8)));
  }

  /** The root and further levels that are objects, and a text at the bottom. */
  private static String nested(int objects) {
    return "<a>".repeat(objects) + "<b>bottom</b>" + "</a>".repeat(objects);
  }

  private static void collect(Element element, List<String> texts) {
    boolean leaf = true;
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child) {
        leaf = false;
        collect(child, texts);
      }
    }
    if (element.hasAttributes()) {
      for (int i = 0; i < element.getAttributes().getLength(); i++) {
        texts.add(element.getAttributes().item(i).getNodeValue());
      }
    }
    String text = leaf ? element.getTextContent().strip() : "";
    if (leaf && !(element.hasAttributes() && text.isEmpty())) {
      texts.add(text);
    }
  }

  private static void collect(JsonNode node, List<String> texts) {
    if (node.isTextual()) {
      texts.add(node.textValue());
    }
    node.forEach(child -> collect(child, texts));
  }
}
