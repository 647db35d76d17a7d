// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.docs.Pages.Block;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What is published has what repositories ask for, and the coordinates on the pages are right. */
class PublishingTest {

  private static final List<String> PUBLISHED =
      List.of(
          "sdk-core/bom",
          "sdk-core/embedded-server",
          "sdk-core",
          "sdk-core/inspector",
          "sdk-spring");

  @ParameterizedTest
  @ValueSource(strings = {"pom.xml", "sdk-core/bom/pom.xml"})
  void rootPoms_sayWhereTheyComeFrom(String pom) throws Exception {
    Element project = parsed(Pages.read(pom));
    for (String name :
        List.of("name", "description", "url", "inceptionYear", "licenses", "developers", "scm")) {
      assertThat(child(project, name)).as("%s in %s", name, pom).isNotBlank();
    }
    assertThat(child(project, "url")).isEqualTo(child(parsed(Pages.read("pom.xml")), "url"));
    assertThat(child(project, "scm").replaceAll("\\s+", " "))
        .isEqualTo(child(parsed(Pages.read("pom.xml")), "scm").replaceAll("\\s+", " "));
  }

  @Test
  void publishedModules_haveNameAndDescription() throws Exception {
    for (String module : PUBLISHED) {
      Element project = parsed(Pages.read(module + "/pom.xml"));
      assertThat(child(project, "name")).as(module).isNotBlank();
      assertThat(child(project, "description")).as(module).isNotBlank();
    }
  }

  /** The BOM has no parent, so that nothing but this keeps the two together. */
  @Test
  void bom_managesEveryPublishedModule_inTheVersionOfTheParent() throws Exception {
    Element bom = parsed(Pages.read("sdk-core/bom/pom.xml"));
    assertThat(child(bom, "version")).isEqualTo(version());
    List<String> managed = new ArrayList<>();
    for (Element dependency : elements(bom, "dependency")) {
      assertThat(child(dependency, "version")).isEqualTo("${project.version}");
      managed.add(child(dependency, "artifactId"));
    }
    List<String> published = new ArrayList<>();
    for (String module : PUBLISHED) {
      published.add(child(parsed(Pages.read(module + "/pom.xml")), "artifactId"));
    }
    published.remove("sheaf-bom");
    assertThat(managed).containsExactlyInAnyOrderElementsOf(published);
  }

  @Test
  void coordinatesOnThePages_areThoseOfTheBuild() throws Exception {
    Map<String, String> versions = new TreeMap<>();
    for (String module : PUBLISHED) {
      Element project = parsed(Pages.read(module + "/pom.xml"));
      versions.put(child(project, "artifactId"), version());
    }
    int found = 0;
    for (Path page : Pages.all()) {
      for (Block block : Pages.blocks(page)) {
        if (block.language().equals("xml")) {
          String xml =
              block.text().contains("<project") ? block.text() : "<x>" + block.text() + "</x>";
          for (Element dependency : elements(parsed(xml), "dependency")) {
            if ("dev.sheaf".equals(child(dependency, "groupId"))) {
              found++;
              String artifact = child(dependency, "artifactId");
              assertThat(versions).as("%s", page).containsKey(artifact);
              if (!child(dependency, "version").isEmpty()) {
                assertThat(child(dependency, "version")).as("%s", page).isEqualTo(version());
              }
            }
          }
        }
      }
    }
    assertThat(found).isGreaterThan(6);
  }

  private static String version() throws Exception {
    return child(parsed(Pages.read("pom.xml")), "version");
  }

  private static Element parsed(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(xml.strip().getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }

  private static String child(Element parent, String name) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node.getNodeName().equals(name)) {
        return node.getTextContent().strip();
      }
    }
    return "";
  }

  private static List<Element> elements(Element parent, String name) {
    NodeList nodes = parent.getElementsByTagName(name);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }
}
