package dev.sheaf.examples.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Attr;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Turns an XML document into a JSON object with the whole of its content.
 *
 * <p>An element with text alone becomes a string, any other an object: child elements under their
 * names, an array where a name repeats, attributes under {@code @name}, text beside them under
 * {@code #text}, without the white space around it. What is lost: comments, processing
 * instructions, and the order between children of different names.
 *
 * <p>Documents with a DOCTYPE are refused, so no entity is ever expanded or fetched. Not
 * thread-safe.
 */
final class XmlToJson {

  /** Deepest nesting of elements that is converted; POMs stay below 15. */
  static final int MAX_DEPTH = 64;

  private final JsonFactory json = new JsonFactory();
  private final DocumentBuilder parser = newParser();

  /**
   * Parses a document.
   *
   * @throws SAXException if it is not well-formed, has a DOCTYPE or is too deep; the message says
   *     which
   */
  Element parse(byte[] xml) throws SAXException {
    try {
      return parser.parse(new ByteArrayInputStream(xml)).getDocumentElement();
    } catch (IOException e) {
      // The only input or output is of the bytes above: they are no text in their encoding.
      throw new SAXException(e.getMessage(), e);
    }
  }

  /**
   * The JSON of an element's content.
   *
   * @throws SAXException if it is nested deeper than {@link #MAX_DEPTH}
   */
  String toJson(Element element) throws SAXException {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = json.createGenerator(text)) {
      writeObject(element, out, 1);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return text.toString();
  }

  private void writeObject(Element element, JsonGenerator out, int depth)
      throws IOException, SAXException {
    if (depth > MAX_DEPTH) {
      throw new SAXException("elements are nested deeper than MAX_DEPTH = " + MAX_DEPTH);
    }
    out.writeStartObject();
    NamedNodeMap attributes = element.getAttributes();
    for (int i = 0; i < attributes.getLength(); i++) {
      Attr attribute = (Attr) attributes.item(i);
      out.writeStringField("@" + attribute.getName(), attribute.getValue());
    }
    for (Map.Entry<String, List<Element>> child : childrenByName(element).entrySet()) {
      out.writeFieldName(child.getKey());
      writeAll(child.getValue(), out, depth);
    }
    String text = ownText(element);
    if (!text.isEmpty()) {
      out.writeStringField("#text", text);
    }
    out.writeEndObject();
  }

  private void writeAll(List<Element> sameName, JsonGenerator out, int depth)
      throws IOException, SAXException {
    if (sameName.size() > 1) {
      out.writeStartArray();
    }
    for (Element element : sameName) {
      if (element.hasAttributes() || hasChildElements(element)) {
        writeObject(element, out, depth + 1);
      } else {
        out.writeString(ownText(element));
      }
    }
    if (sameName.size() > 1) {
      out.writeEndArray();
    }
  }

  private static Map<String, List<Element>> childrenByName(Element element) {
    Map<String, List<Element>> children = new LinkedHashMap<>();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child) {
        children.computeIfAbsent(child.getTagName(), name -> new ArrayList<>()).add(child);
      }
    }
    return children;
  }

  private static boolean hasChildElements(Element element) {
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element) {
        return true;
      }
    }
    return false;
  }

  private static String ownText(Element element) {
    StringBuilder text = new StringBuilder();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node.getNodeType() == Node.TEXT_NODE || node.getNodeType() == Node.CDATA_SECTION_NODE) {
        text.append(node.getNodeValue());
      }
    }
    return text.toString().strip();
  }

  private static DocumentBuilder newParser() {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
      factory.setXIncludeAware(false);
      factory.setExpandEntityReferences(false);
      DocumentBuilder builder = factory.newDocumentBuilder();
      // Without this the JDK prints every error to the console besides throwing it.
      builder.setErrorHandler(null);
      return builder;
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("the JDK's XML parser lacks its secure settings", e);
    }
  }
}
