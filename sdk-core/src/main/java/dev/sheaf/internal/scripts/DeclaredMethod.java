// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.scripts.Arg;
import dev.sheaf.scripts.Keys;
import dev.sheaf.scripts.LuaScript;
import dev.sheaf.scripts.RegisteredScript;
import dev.sheaf.scripts.ResultType;
import dev.sheaf.scripts.Script;
import dev.sheaf.scripts.ScriptException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A validated method of a script interface: how its parameters become keys and arguments, and its
 * result a reply.
 */
final class DeclaredMethod {

  private static final String RESULTS =
      "long, int, boolean, String, byte[], void, Object, a List or a Map<String, …> of these, or a"
          + " CompletableFuture, CompletionStage or Mono";

  private final Method method;
  private final LuaScript annotation;
  private final int keysIndex;
  private final Form form;
  private final Script<?> script;

  /** What the method returns: a value, a future or a publisher. */
  private enum Form {
    VALUE,
    FUTURE,
    MONO
  }

  private DeclaredMethod(Method method, LuaScript annotation, @Nullable Class<?> keyType) {
    this.method = method;
    this.annotation = annotation;
    this.keysIndex = checkParameters(keyType);
    Type returned = method.getGenericReturnType();
    this.form = formOf(method.getReturnType());
    if (form != Form.VALUE) {
      returned = argumentsOf(returned, 1)[0];
    }
    this.script = script(resultType(returned));
  }

  /**
   * Reads and validates a method.
   *
   * @param keyType the client's type of keys; null if unknown
   * @throws ScriptException if the declaration is invalid or its file is missing
   */
  static DeclaredMethod of(Method method, @Nullable Class<?> keyType) {
    LuaScript annotation = method.getAnnotation(LuaScript.class);
    if (annotation == null) {
      throw new ScriptException(
          describe(method) + " has neither @LuaScript nor a body; give it one of them");
    }
    return new DeclaredMethod(method, annotation, keyType);
  }

  Script<?> script() {
    return script;
  }

  /** Calls the script with the arguments of a call of the method. */
  @Nullable Object call(RegisteredScript<Object, ?> registered, Object @Nullable [] arguments) {
    Object[] given = arguments == null ? new Object[0] : arguments;
    List<Object> keys = keysIndex < 0 ? List.of() : keys(given[keysIndex]);
    List<Object> args = new ArrayList<>(given.length);
    for (int i = 0; i < given.length; i++) {
      if (i != keysIndex) {
        args.add(given[i]);
      }
    }
    return switch (form) {
      case VALUE -> registered.call(keys, args.toArray());
      case FUTURE -> registered.callAsync(keys, args.toArray());
      case MONO -> registered.callReactive(keys, args.toArray());
    };
  }

  private List<Object> keys(@Nullable Object given) {
    Objects.requireNonNull(given, () -> "The keys of " + describe(method) + " are null");
    if (given instanceof Collection<?> collection) {
      return new ArrayList<>(collection);
    }
    return given instanceof Object[] array ? new ArrayList<>(Arrays.asList(array)) : List.of(given);
  }

  private int checkParameters(@Nullable Class<?> keyType) {
    int keys = -1;
    Parameter[] parameters = method.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      boolean isKeys = parameters[i].isAnnotationPresent(Keys.class);
      boolean isArg = parameters[i].isAnnotationPresent(Arg.class);
      if (isKeys == isArg) {
        throw wrong(
            i, isKeys ? "is both @Keys and @Arg; keep one" : "needs @Keys or @Arg before its type");
      }
      if (isArg) {
        checkArg(i, parameters[i]);
      } else if (keys >= 0) {
        throw wrong(
            i,
            "is a second list of keys, after parameter "
                + (keys + 1)
                + "; a script has one list KEYS, so pass one collection");
      } else {
        checkKeys(i, parameters[i].getParameterizedType(), keyType);
        keys = i;
      }
    }
    return keys;
  }

  private void checkArg(int index, Parameter parameter) {
    if (!Arguments.isSupported(parameter.getType())) {
      throw wrong(
          index,
          "is an @Arg of type "
              + parameter.getType().getTypeName()
              + "; arguments are texts, byte[], numbers, booleans, characters or enums");
    }
  }

  private void checkKeys(int index, Type type, @Nullable Class<?> keyType) {
    Class<?> raw = rawClass(type);
    Class<?> key = raw;
    if (Collection.class.isAssignableFrom(raw)) {
      if (raw != Collection.class && raw != List.class && raw != java.util.Set.class) {
        throw wrong(index, "is a " + raw.getName() + "; take a Collection, List or Set of keys");
      }
      key = type instanceof ParameterizedType ? rawClass(argumentsOf(type, 1)[0]) : Object.class;
    } else if (raw.isArray() && raw != byte[].class) {
      key = Objects.requireNonNull(raw.getComponentType());
    }
    boolean fits = keyType == null ? !key.isPrimitive() : key.isAssignableFrom(keyType);
    if (!fits || Map.class.isAssignableFrom(key)) {
      throw wrong(
          index,
          "is @Keys of type "
              + type.getTypeName()
              + ", but keys of this client are "
              + (keyType == null ? "objects" : keyType.getTypeName())
              + "; take one of them, or a Collection or an array of them");
    }
  }

  private static Form formOf(Class<?> returned) {
    if (returned == CompletableFuture.class || returned == CompletionStage.class) {
      return Form.FUTURE;
    }
    return returned == Mono.class ? Form.MONO : Form.VALUE;
  }

  private ResultType<?> resultType(Type type) {
    Class<?> raw = rawClass(type);
    if (raw == List.class || raw == Collection.class) {
      return ResultType.listOf(resultType(argumentsOf(type, 1)[0]));
    }
    if (raw == Map.class && rawClass(argumentsOf(type, 2)[0]) == String.class) {
      return ResultType.mapOf(resultType(argumentsOf(type, 2)[1]));
    }
    ResultType<?> scalar = scalar(raw);
    if (scalar == null) {
      throw new ScriptException(
          describe(method)
              + " returns "
              + type.getTypeName()
              + ", which no script can; it may"
              + " return "
              + RESULTS);
    }
    return scalar;
  }

  private static @Nullable ResultType<?> scalar(Class<?> type) {
    if (type == long.class || type == Long.class) {
      return ResultType.INTEGER;
    }
    if (type == int.class || type == Integer.class) {
      return ResultType.INTEGER.map(Math::toIntExact);
    }
    if (type == boolean.class || type == Boolean.class) {
      return ResultType.BOOLEAN;
    }
    if (type == String.class || type == CharSequence.class) {
      return ResultType.TEXT;
    }
    if (type == byte[].class) {
      return ResultType.BYTES;
    }
    if (type == void.class || type == Void.class) {
      return ResultType.NOTHING;
    }
    return type == Object.class ? ResultType.RAW : null;
  }

  private <T extends @Nullable Object> Script<T> script(ResultType<T> result) {
    Script.Definition definition;
    try {
      ClassLoader loader = method.getDeclaringClass().getClassLoader();
      definition =
          loader == null
              ? Script.fromClassPath(annotation.value())
              : Script.fromClassPath(annotation.value(), loader);
    } catch (ScriptException e) {
      throw new ScriptException(describe(method) + ": " + e.getMessage(), e);
    }
    definition.named(annotation.name().isEmpty() ? shortName() : annotation.name());
    definition.args(method.getParameterCount() - (keysIndex < 0 ? 0 : 1));
    if (keysIndex < 0) {
      definition.keys(0);
    }
    if (annotation.readOnly()) {
      definition.readOnly();
    }
    if (annotation.inOrder()) {
      definition.inOrder();
    }
    return definition.returns(result);
  }

  private String shortName() {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  private Type[] argumentsOf(Type type, int expected) {
    if (type instanceof ParameterizedType parameterized
        && parameterized.getActualTypeArguments().length == expected) {
      return parameterized.getActualTypeArguments();
    }
    throw new ScriptException(
        describe(method)
            + " has the raw type "
            + type.getTypeName()
            + "; write what is in it, as in List<String>");
  }

  private static Class<?> rawClass(Type type) {
    if (type instanceof Class<?> plain) {
      return plain;
    }
    if (type instanceof ParameterizedType parameterized) {
      return rawClass(parameterized.getRawType());
    }
    if (type instanceof WildcardType wildcard) {
      return rawClass(wildcard.getUpperBounds()[0]);
    }
    if (type instanceof java.lang.reflect.GenericArrayType array) {
      return rawClass(array.getGenericComponentType()).arrayType();
    }
    return Object.class;
  }

  private ScriptException wrong(int index, String what) {
    return new ScriptException(describe(method) + ": parameter " + (index + 1) + " " + what);
  }

  /** Describes a method for messages, with the file of its script if it has one. */
  static String describe(Method method) {
    String parameters =
        Arrays.stream(method.getGenericParameterTypes())
            .map(Type::getTypeName)
            .collect(Collectors.joining(", "));
    LuaScript annotation = method.getAnnotation(LuaScript.class);
    return "Method "
        + method.getDeclaringClass().getName()
        + "."
        + method.getName()
        + "("
        + parameters
        + ")"
        + (annotation == null ? "" : " with script " + annotation.value());
  }
}
