'use strict';
(() => {
  const POLL_MS = 2000;
  const WINDOW_MS = 3600000;
  const CHILDREN_AT_ONCE = 100;
  const FIRST_CHARS = 20000;
  const MORE_CHARS = 200000;
  const FIRST_ROWS = 64;
  const MORE_ROWS = 1024;
  const OPEN_DEPTH = 2;
  const MASK = '******';

  // ---- elements: text goes into the page as text, and in no other way

  const byId = (id) => document.getElementById(id);

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === 'class') element.className = value;
      else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null) element.setAttribute(name, value === true ? '' : value);
    }
    add(element, children);
    return element;
  }

  function add(element, children) {
    for (const child of children.flat()) {
      if (child !== null && child !== undefined) element.append(child);
    }
  }

  // Controls, what changes the direction of writing, what has no width, and halves of characters.
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{d800}-\u{dfff}]/gu;

  /** The text with what cannot be seen, or would turn it around, written as escapes. */
  function seen(text) {
    const parts = document.createDocumentFragment();
    let from = 0;
    for (const match of text.matchAll(UNSEEN)) {
      if (match.index > from) parts.append(text.slice(from, match.index));
      const code = match[0].codePointAt(0).toString(16).padStart(4, '0');
      parts.append(make('span', {class: 'escape'}, '\\u' + code));
      from = match.index + match[0].length;
    }
    if (from < text.length) parts.append(text.slice(from));
    return parts;
  }

  function isolated(text, kind) {
    return make('span', {class: 'isolated ' + (kind || '')}, seen(text));
  }

  // ---- figures in words

  const number = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
  const fine = new Intl.NumberFormat('en', {maximumFractionDigits: 2});

  function bytes(count) {
    if (count < 0) return 'unknown';
    const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
    let unit = 0;
    let value = count;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return number.format(value) + ' ' + units[unit];
  }

  function millis(value) {
    return value === null || value === undefined ? '–' : fine.format(value) + ' ms';
  }

  function duration(ms) {
    if (ms < 1000) return ms + ' ms';
    const seconds = Math.floor(ms / 1000);
    const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
    const shown = [];
    let rest = seconds;
    for (const [length, unit] of parts) {
      const count = Math.floor(rest / length);
      rest -= count * length;
      if (count > 0) shown.push(count + ' ' + unit);
    }
    return shown.slice(0, 2).join(' ');
  }

  function time(instant) {
    return new Date(instant).toLocaleString();
  }

  function percent(share) {
    return number.format(share * 100) + ' %';
  }

  // ---- tabs

  const tabs = [...document.querySelectorAll('[role=tab]')];

  function select(tab) {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute('aria-selected', String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      byId(other.getAttribute('aria-controls')).hidden = !chosen;
    }
    draw();
  }

  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => select(tab));
    tab.addEventListener('keydown', (event) => {
      const steps = {ArrowRight: index + 1, ArrowLeft: index - 1 + tabs.length, Home: 0, End: tabs.length - 1};
      if (event.key in steps) {
        event.preventDefault();
        const next = tabs[steps[event.key] % tabs.length];
        select(next);
        next.focus();
      }
    });
  });

  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement ? document.activeElement.tagName : '');
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      select(tabs[0]);
      byId('key').focus();
    }
  });

  // ---- asking

  async function ask(url) {
    // Without the name and the password that an address may carry.
    const response = await fetch(new URL(url, location.origin + location.pathname), {
      headers: {Accept: 'application/json'},
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual'
    });
    let body = null;
    if ((response.headers.get('Content-Type') || '').includes('json')) {
      body = await response.json();
    }
    return {status: response.status, body};
  }

  function whyNot(status, body) {
    if (body && body.message && body.error && status !== 401 && status !== 500) return body.message;
    switch (status) {
      case 0: case 401: return 'You are not signed in, or not any more. Reload the page to sign in.';
      case 403: return 'You are not allowed to see this.';
      case 404: return 'This is not exposed by the application.';
      default: return 'The application answered with the status ' + status + '.';
    }
  }

  // ---- a key

  const valuesUrl = document.body.dataset.values;
  const message = byId('message');
  const found = byId('found');
  let asked = 0;

  byId('ask').addEventListener('submit', async (event) => {
    event.preventDefault();
    const turn = ++asked;
    const key = byId('key').value;
    const query = new URLSearchParams({key, encoding: byId('encoding').value});
    say('Looking…');
    found.hidden = true;
    byId('hint').hidden = true;
    try {
      const {status, body} = await ask(valuesUrl + '?' + query);
      if (turn !== asked) return;
      if (status === 200 && body && Array.isArray(body.values)) {
        message.hidden = true;
        show(body);
      } else {
        say(whyNot(status, body), true, body && body.guard);
      }
    } catch (error) {
      if (turn === asked) say('The application does not answer.', true);
    }
  });

  function say(text, bad, guard) {
    message.hidden = false;
    message.className = bad ? 'message bad' : 'message';
    message.replaceChildren(seen(text));
    if (guard) {
      message.append(make('br'), 'Redis is ' + guard.state + ': ', seen(guard.reason));
    }
  }

  function fact(label, ...content) {
    return make('div', {}, make('dt', {}, label), make('dd', {}, ...content));
  }

  function show(report) {
    const facts = make('dl', {class: 'facts'});
    facts.append(fact('Type', seen(report.type)));
    facts.append(fact('Time to live', ttl(report.ttlMillis)));
    facts.append(fact('Stored', bytes(report.storedBytes)));
    if (report.originalBytes >= 0) {
      facts.append(fact('Original', bytes(report.originalBytes)));
      facts.append(fact('Saved by compression', saved(report)));
    }
    if (report.memoryBytes >= 0) facts.append(fact('Memory on the server', bytes(report.memoryBytes)));
    if (report.encoding) facts.append(fact('Encoding on the server', seen(report.encoding)));
    if (report.type !== 'string') facts.append(fact('Elements', number.format(report.elements)));
    // A server that is no cluster has no slots.
    if (report.node) facts.append(fact('Slot', String(report.slot)), fact('Node', seen(report.node)));

    found.replaceChildren(make('h2', {}, 'Key ', isolated(report.key)), facts);
    if (report.key.includes('\ufffd')) {
      found.append(make('p', {class: 'quiet'}, 'Its bytes: ', isolated(report.keyHex)));
    }
    if (report.note) found.append(make('p', {class: 'withheld'}, seen(report.note)));
    for (const value of report.values) found.append(valueBox(value));
    if (report.elements > report.values.length && report.values.length > 0) {
      found.append(make('p', {class: 'quiet'},
          'The first ' + report.values.length + ' of ' + number.format(report.elements) + ' elements.'));
    }
    found.hidden = false;
  }

  function saved(report) {
    if (report.originalBytes <= 0 || report.originalBytes === report.storedBytes) return 'nothing';
    const less = report.originalBytes - report.storedBytes;
    return less < 0
        ? 'nothing; it is ' + bytes(-less) + ' larger'
        : bytes(less) + ' (' + percent(less / report.originalBytes) + ')';
  }

  function ttl(ms) {
    return ms === null ? 'for ever' : duration(ms);
  }

  const FORMS = {RAW: 'stored as it is', SHEAF: 'compressed by Sheaf'};

  function valueBox(value) {
    const box = make('article', {class: 'value'});
    if (value.name !== null) box.append(make('h3', {}, isolated(value.name, value.name === MASK ? 'masked' : '')));
    const about = [FORMS[value.form] || 'form ' + value.form];
    if (!value.formCertain) about.push('probably');
    if (value.algorithm) about.push(value.algorithm);
    about.push(bytes(value.storedBytes) + (value.originalBytes >= 0 && value.originalBytes !== value.storedBytes
        ? ' for ' + bytes(value.originalBytes) : ''));
    if (value.redactedFields > 0) about.push(value.redactedFields + ' redacted');
    if (value.value !== null && !value.complete) about.push('only its beginning');
    box.append(make('p', {class: 'quiet'}, seen(about.join(' · '))));
    if (value.problem) box.append(make('p', {class: 'withheld'}, seen(value.problem)));
    if (value.value === null) {
      box.append(make('p', {class: 'withheld'}, seen(value.withheld || '')));
    } else {
      addViews(box, value);
    }
    return box;
  }

  function addViews(box, value) {
    const content = make('div', {class: 'content', tabindex: '0'});
    const views = {};
    if (value.kind === 'json') views.Tree = () => jsonView(value.value);
    if (value.kind !== 'hex') views.Text = () => textView(value.value);
    views.Hex = () => hexView(bytesOf(value));
    const buttons = Object.keys(views).map((name) =>
        make('button', {type: 'button', 'aria-pressed': 'false', onclick: () => choose(name)}, name));
    function choose(name) {
      for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === name));
      content.replaceChildren(views[name]());
    }
    const copied = make('span', {class: 'quiet', role: 'status'});
    const copy = make('button', {type: 'button', onclick: () => copyText(value.value, copied)}, 'Copy');
    box.append(make('div', {class: 'tools'}, buttons, copy, copied), content);
    choose(Object.keys(views)[0]);
  }

  async function copyText(text, status) {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = 'Copied.';
    } catch (error) {
      // Browsers give the clipboard to secure pages only; the old way works in the others.
      const area = make('textarea', {readonly: true, 'aria-hidden': 'true'});
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      status.textContent = done ? 'Copied.' : 'The browser did not allow it.';
    }
  }

  // ---- text and bytes, a part at a time

  function textView(text) {
    const pre = make('pre', {class: 'isolated'});
    let shown = 0;
    const more = make('button', {type: 'button', class: 'more', onclick: () => extend(MORE_CHARS)});
    const view = make('div', {}, pre);
    function extend(count) {
      let end = Math.min(text.length, shown + count);
      if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1])) end++;
      pre.append(seen(text.slice(shown, end)));
      shown = end;
      if (shown < text.length) {
        more.textContent = 'More: ' + number.format(text.length - shown) + ' characters are left';
        view.append(more);
      } else {
        more.remove();
      }
    }
    extend(FIRST_CHARS);
    return view;
  }

  function bytesOf(value) {
    if (value.kind !== 'hex') return new TextEncoder().encode(value.value);
    const result = new Uint8Array(value.value.length / 2);
    for (let i = 0; i < result.length; i++) result[i] = parseInt(value.value.substr(i * 2, 2), 16);
    return result;
  }

  function hexView(data) {
    const width = window.innerWidth < 560 ? 8 : 16;
    const rows = Math.ceil(data.length / width);
    const pre = make('pre', {class: 'hex'});
    const view = make('div', {}, pre);
    let shown = 0;
    const more = make('button', {type: 'button', class: 'more', onclick: () => extend(MORE_ROWS)});
    function extend(count) {
      const end = Math.min(rows, shown + count);
      const lines = [];
      for (; shown < end; shown++) lines.push(hexRow(data, shown * width, width));
      pre.append(lines.join(''));
      if (shown < rows) {
        more.textContent = 'More: ' + number.format(data.length - shown * width) + ' bytes are left';
        view.append(more);
      } else {
        more.remove();
      }
    }
    extend(FIRST_ROWS);
    return view;
  }

  function hexRow(data, start, width) {
    let hex = '';
    let text = '';
    for (let i = start; i < start + width; i++) {
      if (i < data.length) {
        hex += data[i].toString(16).padStart(2, '0') + ' ';
        text += data[i] >= 32 && data[i] < 127 ? String.fromCharCode(data[i]) : '.';
      } else {
        hex += '   ';
      }
    }
    return start.toString(16).padStart(8, '0') + '  ' + hex + ' ' + text + '\n';
  }

  // ---- JSON as it is written: no digit of a number is lost, no equal name is merged

  function parse(text) {
    let at = 0;
    const space = () => {
      while (at < text.length && ' \t\r\n'.includes(text[at])) at++;
    };
    const string = () => {
      const start = at++;
      while (text[at] !== '"') {
        if (at >= text.length) throw new SyntaxError();
        at += text[at] === '\\' ? 2 : 1;
      }
      return text.slice(start, ++at);
    };
    const list = (close, item) => {
      const items = [];
      at++;
      space();
      if (text[at] === close) {
        at++;
        return items;
      }
      for (;;) {
        space();
        items.push(item());
        space();
        if (text[at] === close) {
          at++;
          return items;
        }
        if (text[at++] !== ',') throw new SyntaxError();
      }
    };
    const value = () => {
      if (text[at] === '{') {
        return {kind: 'object', items: list('}', () => {
          const name = string();
          space();
          if (text[at++] !== ':') throw new SyntaxError();
          space();
          return {name, node: value()};
        })};
      }
      if (text[at] === '[') return {kind: 'array', items: list(']', () => ({name: null, node: value()}))};
      if (text[at] === '"') return {kind: 'string', raw: string()};
      const start = at;
      while (at < text.length && !',]} \t\r\n'.includes(text[at])) at++;
      if (at === start) throw new SyntaxError();
      const raw = text.slice(start, at);
      return {kind: /^[tfn]/.test(raw) ? 'word' : 'number', raw};
    };
    space();
    const root = value();
    space();
    if (at < text.length) throw new SyntaxError();
    return root;
  }

  function jsonView(text) {
    try {
      return nodeView(null, parse(text), 0);
    } catch (error) {
      return textView(text);
    }
  }

  function label(name) {
    return name === null ? [] : [isolated(name, 'name'), ': '];
  }

  function nodeView(name, node, depth) {
    if (!node.items) {
      const kind = node.raw === '"' + MASK + '"' ? 'masked' : node.kind;
      const leaf = make('div', {class: 'leaf'}, label(name));
      if (node.raw.length > FIRST_CHARS) leaf.append(textView(node.raw));
      else leaf.append(isolated(node.raw, kind));
      return leaf;
    }
    const count = node.items.length;
    const brackets = node.kind === 'object' ? '{}' : '[]';
    if (count === 0) return make('div', {class: 'leaf'}, label(name), brackets);
    const of = node.kind === 'object' ? (count === 1 ? ' field' : ' fields') : (count === 1 ? ' element' : ' elements');
    const details = make('details', {},
        make('summary', {}, label(name), brackets[0] + '…' + brackets[1] + ' ',
            make('span', {class: 'quiet'}, number.format(count) + of)));
    let filled = 0;
    const more = make('button', {type: 'button', class: 'more', onclick: () => fill()});
    function fill() {
      more.remove();
      const end = Math.min(count, filled + CHILDREN_AT_ONCE);
      for (; filled < end; filled++) {
        details.append(nodeView(node.items[filled].name, node.items[filled].node, depth + 1));
      }
      if (filled < count) {
        more.textContent = 'More: ' + number.format(count - filled) + ' are left';
        details.append(more);
      }
    }
    details.addEventListener('toggle', () => {
      if (details.open && filled === 0) fill();
    });
    if (depth < OPEN_DEPTH) {
      fill();
      details.open = true;
    }
    return details;
  }

  // ---- figures

  const figuresUrl = document.body.dataset.figures;
  const history = new Map();
  let latest = null;
  let before = null;
  let failures = 0;

  function meters(figures, name, tags) {
    return figures.meters.filter((meter) => meter.name === name
        && Object.entries(tags || {}).every(([key, value]) => meter.tags[key] === value));
  }

  function sum(figures, name, field, tags) {
    return figures === null ? 0 : meters(figures, name, tags)
        .reduce((total, meter) => total + (meter.values[field] || 0), 0);
  }

  function largest(figures, name, tags) {
    return meters(figures, name, tags).reduce((most, meter) => Math.max(most, meter.values.max || 0), 0);
  }

  /** The meters of all clients by the values of a tag, in their order. */
  function grouped(figures, name, tag) {
    const groups = new Map();
    for (const meter of meters(figures, name)) {
      const label = meter.tags[tag] || '';
      const group = groups.get(label) || {label, count: 0, total: 0, max: 0};
      group.count += meter.values.count || 0;
      group.total += meter.values.total || 0;
      group.max = Math.max(group.max, meter.values.max || 0);
      groups.set(label, group);
    }
    return [...groups.values()].sort((a, b) => a.label.localeCompare(b.label));
  }

  /** A row of a timer. */
  function timed(group) {
    return [group.label, number.format(group.count), group.count ? millis(group.total / group.count) : '–', millis(group.max)];
  }

  /** What was added since the figures before; 0 where a counter began anew. */
  function added(read) {
    return before === null ? 0 : Math.max(0, read(latest) - read(before));
  }

  /** The same in a second. */
  function rate(read) {
    return before === null || latest.atMillis <= before.atMillis ? 0
        : added(read) / ((latest.atMillis - before.atMillis) / 1000);
  }

  /** Keeps the samples of the last hour; one each two seconds at most. */
  function remember(name, value) {
    const samples = history.get(name) || [];
    samples.push({at: latest.atMillis, value});
    while (samples[0].at < latest.atMillis - WINDOW_MS) samples.shift();
    history.set(name, samples);
  }

  /** What was added in the last hour, or since the page was opened. */
  function recent(name) {
    return samples('added ' + name).reduce((total, one) => total + one.value, 0);
  }

  /** The highest sample of that time. */
  function highest(name) {
    return samples(name).reduce((most, one) => Math.max(most, one.value), 0);
  }

  /** Which time that is. */
  function period() {
    const first = samples('commands')[0];
    const shown = first ? latest.atMillis - first.at : 0;
    return shown < WINDOW_MS - 10000
        ? 'Since this page was opened, ' + duration(Math.round(shown / 1000) * 1000) + ' ago'
        : 'In the last hour';
  }

  const commands = (f) => sum(f, 'sheaf.batch.commands', 'total');
  const writes = (f) => sum(f, 'sheaf.batch.commands', 'count');
  const avoided = (f) => commands(f) - writes(f);
  const written = (form) => (f) => sum(f, 'sheaf.compression.size', 'count', {direction: 'written', form});
  const read = (form) => (f) => sum(f, 'sheaf.compression.size', 'count', {direction: 'read', form});

  const counters = {
    commands, writes, avoided,
    fused: (f) => sum(f, 'sheaf.get.fused', 'count'),
    shared: (f) => sum(f, 'sheaf.get.shared', 'count'),
    refused: (f) => sum(f, 'sheaf.queue.refused', 'count'),
    timedOut: (f) => sum(f, 'sheaf.timeouts', 'count'),
    original: written('original'),
    stored: written('stored'),
    read: read('original'),
    unreadable: (f) => sum(f, 'sheaf.compression.unreadable', 'count'),
    forbidden: (f) => sum(f, 'sheaf.compression.refused', 'count')
  };

  function sample() {
    for (const [name, counter] of Object.entries(counters)) remember('added ' + name, added(counter));
    remember('largest', largest(latest, 'sheaf.batch.commands'));
    const commandRate = rate(commands);
    const writeRate = rate(writes);
    remember('commands', commandRate);
    remember('writes', writeRate);
    remember('size', writeRate > 0 ? commandRate / writeRate : 0);
    remember('avoided', rate(avoided));
    remember('queue', sum(latest, 'sheaf.queue.commands', 'value'));
    remember('saved', rate((f) => written('original')(f) - written('stored')(f)));
    remember('savedRead', rate((f) => read('original')(f) - read('stored')(f)));
    for (const node of latest.guard ? latest.guard.nodes : []) {
      if (node.roundTripMillis !== null) remember('ping ' + node.node, node.roundTripMillis);
    }
  }

  async function poll() {
    if (!document.hidden) {
      try {
        const {status, body} = await ask(figuresUrl);
        if (status === 200 && body && Array.isArray(body.meters)) {
          failures = 0;
          before = latest;
          latest = body;
          byId('connection').textContent = '';
          sample();
          draw();
        } else {
          failures++;
          byId('connection').textContent = whyNot(status, body);
        }
      } catch (error) {
        failures++;
        byId('connection').textContent = 'The application does not answer.';
      }
    }
    setTimeout(poll, Math.min(60000, POLL_MS * 2 ** Math.min(failures, 5)));
  }

  /** A figure, and below it the same since the application started. */
  function tile(labelText, figure, total) {
    return make('div', {class: 'tile'},
        make('div', {class: 'label'}, labelText), make('div', {class: 'figure'}, figure),
        total === undefined ? null : make('div', {class: 'label'}, total + ' since the start'));
  }

  /** A tile of one of the counters. */
  function counted(labelText, name, format) {
    return tile(labelText, format(recent(name)), format(counters[name](latest)));
  }

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /** A plot of up to four series: time from left to right, and the unit in the figures beside it. */
  function plot(title, format, series) {
    const all = series.flatMap((one) => one.samples);
    const most = Math.max(...all.map((one) => one.value), 0) || 1;
    const from = Math.min(latest.atMillis - 60000, ...all.map((one) => one.at));
    const width = latest.atMillis - from;
    const now = (one) => format(one.samples.length > 0 ? one.samples.at(-1).value : 0);
    const picture = svg('svg', {viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img',
      'aria-label': title + ' since ' + clock(from) + ', now ' + series.map(now).join(', ')});
    for (const y of [2, 50, 98]) picture.append(svg('line', {class: 'grid', x1: 0, x2: 100, y1: y, y2: y}));
    series.forEach((one, index) => {
      const points = one.samples.map((sample) =>
          (100 * (sample.at - from) / width).toFixed(2) + ',' + (98 - 96 * sample.value / most).toFixed(1));
      picture.append(svg('polyline', {class: 'series-' + index, points: points.join(' ')}));
    });
    const caption = make('figcaption', {}, make('strong', {}, title));
    series.forEach((one, index) => caption.append(make('span', {},
        series.length > 1 ? make('span', {class: 'series-' + index}, '— ') : null,
        one.label ? [seen(one.label), ' '] : null, 'now ', make('strong', {}, now(one)))));
    return make('figure', {}, caption, make('div', {class: 'plot'},
        make('div', {class: 'axis y'}, make('span', {}, format(most)), make('span', {}, format(most / 2)),
            make('span', {}, format(0))),
        picture,
        make('div', {class: 'axis x'}, make('span', {}, clock(from)), make('span', {}, 'time'),
            make('span', {}, clock(latest.atMillis)))));
  }

  function clock(ms) {
    return new Date(ms).toLocaleTimeString('en-GB');
  }

  function samples(name) {
    return history.get(name) || [];
  }

  function table(heads, rows, empty) {
    if (rows.length === 0) return make('p', {class: 'quiet'}, empty);
    const head = make('tr', {}, heads.map(([text, kind]) => make('th', {class: kind || '', scope: 'col'}, text)));
    const body = rows.map((cells) => make('tr', {}, cells.map((cell, i) =>
        make('td', {class: heads[i][1] || ''}, typeof cell === 'string' ? seen(cell) : cell))));
    return make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, head), make('tbody', {}, body)));
  }

  const views = {
    'view-batching': () => {
      const mean = recent('writes') > 0 ? recent('commands') / recent('writes') : 0;
      const meanOfAll = writes(latest) > 0 ? commands(latest) / writes(latest) : 0;
      const perSecond = (v) => number.format(v) + '/s';
      return [
        metersOrNot(),
        make('p', {class: 'quiet'}, period() + ':'),
        make('div', {class: 'tiles'},
            counted('Round trips saved', 'avoided', number.format),
            counted('Commands', 'commands', number.format),
            counted('Writes to nodes', 'writes', number.format),
            tile('Commands in a write', mean ? fine.format(mean) : '–', fine.format(meanOfAll)),
            // The meter forgets after some minutes; what it has said since then is remembered here.
            tile('Commands in the largest write', mean ? number.format(Math.max(highest('largest'), mean)) : '–'),
            counted('GETs sent as MGET', 'fused', number.format),
            counted('GETs answered by another', 'shared', number.format),
            counted('Refused, queue full', 'refused', number.format),
            counted('Timed out', 'timedOut', number.format)),
        make('div', {class: 'plots'},
            plot('Round trips saved', perSecond, [{samples: samples('avoided')}]),
            plot('Commands and writes', perSecond,
                [{label: 'commands', samples: samples('commands')}, {label: 'writes', samples: samples('writes')}]),
            plot('Commands in a write', (v) => fine.format(v), [{samples: samples('size')}]),
            plot('Commands waiting', (v) => number.format(v), [{samples: samples('queue')}])),
        make('h2', {}, 'How far commands had come when they timed out, since the start'),
        table([['Stage'], ['Commands', 'n']], grouped(latest, 'sheaf.timeouts', 'stage').filter((group) => group.count > 0)
            .map((group) => [group.label.replaceAll('-', ' '), number.format(group.count)]), 'No command has timed out.')
      ];
    },
    'view-compression': () => {
      if (latest.meters.length > 0 && meters(latest, 'sheaf.compression.size').length === 0) {
        return [make('p', {class: 'message'}, 'Compression is off (sheaf.compression.mode).')];
      }
      const prefixes = new Map();
      for (const meter of meters(latest, 'sheaf.compression.prefix.size')) {
        const row = prefixes.get(meter.tags.prefix) || {original: 0, stored: 0};
        row[meter.tags.form] += meter.values.count || 0;
        prefixes.set(meter.tags.prefix, row);
      }
      const share = (original, stored) => original > 0 ? percent(1 - stored / original) : '–';
      const byPrefix = [...prefixes].sort((a, b) => (b[1].original - b[1].stored) - (a[1].original - a[1].stored))
          .map(([prefix, row]) => [prefix, bytes(row.original), bytes(row.stored), share(row.original, row.stored)]);
      return [
        metersOrNot(),
        make('p', {class: 'quiet'}, period() + ':'),
        make('div', {class: 'tiles'},
            tile('Saved', share(recent('original'), recent('stored')),
                share(counters.original(latest), counters.stored(latest))),
            counted('Written, original', 'original', bytes),
            counted('Written, stored', 'stored', bytes),
            counted('Read, original', 'read', bytes),
            counted('Unreadable', 'unreadable', number.format),
            counted('Refused commands', 'forbidden', number.format)),
        make('div', {class: 'plots'}, plot('Saved', (v) => bytes(v) + '/s',
            [{label: 'written', samples: samples('saved')}, {label: 'read', samples: samples('savedRead')}])),
        make('h2', {}, 'By prefix, since the start'),
        table([['Prefix', 'code'], ['Original', 'n'], ['Stored', 'n'], ['Saved', 'n']], byPrefix,
            'Nothing has been compressed yet, or there is no meter registry.'),
        make('h2', {}, 'Stored as it is, since the start'),
        table([['Reason'], ['Values', 'n']], grouped(latest, 'sheaf.compression.skipped', 'reason')
            .map((group) => [group.label, number.format(group.count)]), 'No values.'),
        make('h2', {}, 'Dictionaries'),
        ...dictionariesView()
      ];
    },
    'view-availability': () => {
      const guard = latest.guard;
      if (!guard) return [make('p', {class: 'quiet'}, unknown())];
      const nodes = guard.nodes.map((node) => [seen(node.node),
        make('span', {class: node.state.toLowerCase()}, node.state), millis(node.roundTripMillis),
        seen(time(node.since)), seen(node.reason)]);
      const answers = grouped(latest, 'sheaf.availability.answers', 'source')
          .map((group) => [group.label, number.format(group.count)]);
      const pings = grouped(latest, 'sheaf.availability.ping', 'outcome').map(timed);
      const plotted = guard.nodes.slice(0, 4).map((node) => ({label: node.node, samples: samples('ping ' + node.node)}));
      return [
        make('p', {}, 'Redis is ', make('strong', {class: guard.state.toLowerCase()}, guard.state),
            ' since ' + time(guard.since) + ': ', seen(guard.reason)),
        make('div', {class: 'plots'}, plotted.length > 0 ? plot('Latest PING', millis, plotted) : null),
        make('h2', {}, 'Primaries'),
        table([['Node', 'code'], ['State'], ['PING', 'n'], ['Since'], ['Because, then']], nodes, 'No node has been asked yet.'),
        ...(guard.healed.length === 0 ? [] : [
          make('p', {}, 'Connections that stayed broken and were made anew, the latest first:'),
          table([['Node', 'code'], ['At'], ['Because']],
              guard.healed.slice().reverse().map((one) => [seen(one.node), time(one.at), seen(one.reason)]), '')]),
        make('h2', {}, 'PINGs, since the start'),
        table([['Outcome'], ['Count', 'n'], ['Mean', 'n'], ['Highest', 'n']], pings, 'There is no meter registry.'),
        make('h2', {}, 'Answers to isAvailable(), since the start'),
        table([['From'], ['Count', 'n']], answers, 'There is no meter registry.')
      ];
    },
    'view-loops': () => [
      make('p', {class: 'quiet'}, 'Places in the code that make one round trip after the other. loop(keys), getAll or mapEach'
          + ' of Sheaf or SheafOperations would make a few. Where a loop was learned, its keys are read ahead, and each hit saves a round trip.'),
      table([['Avoidable', 'n'], ['Command'], ['Where', 'code'], ['Runs', 'n'], ['Calls', 'n'], ['Learned'], ['Round trips saved', 'n'],
        ['In vain', 'n']],
          latest.loops.map((loop) => [number.format(loop.avoidableRoundTrips), loop.command,
            make('div', {}, make('div', {}, seen(loop.callSite)),
                loop.callers.map((caller) => make('div', {class: 'quiet'}, '< ', seen(caller)))),
            number.format(loop.executions), number.format(loop.calls),
            loop.learned ? loop.learned.keys + ' (' + loop.learned.state.toLowerCase().replace('_', ' ') + ')' : '',
            number.format(loop.learned ? loop.learned.hits : 0),
            number.format(loop.learned ? loop.learned.vain : 0)]), 'None was found yet.')
    ],
    'view-scripts': () => [
      metersOrNot(),
      make('p', {class: 'quiet'}, 'Since the start:'),
      make('div', {class: 'tiles'},
          tile('Texts loaded', number.format(sum(latest, 'sheaf.script.loads', 'count'))),
          tile('Loads that failed', number.format(sum(latest, 'sheaf.script.loads.failed', 'count'))),
          tile('Calls mended after a flush', number.format(sum(latest, 'sheaf.script.mended', 'count'))),
          tile('Slices', number.format(sum(latest, 'sheaf.script.slice.keys', 'count'))),
          tile('Longest slice', millis(largest(latest, 'sheaf.script.slice.time')))),
      table([['Script', 'code'], ['Calls', 'n'], ['Mean', 'n'], ['Highest', 'n']],
          grouped(latest, 'sheaf.script.calls', 'script').map(timed),
          'No script is registered, or there is no meter registry.')
    ]
  };

  // ---- dictionaries: Redis is asked for them, so only when the button is pressed

  let dictionaries = null;
  let asking = false;

  async function askForDictionaries() {
    asking = true;
    draw();
    try {
      const {status, body} = await ask(document.body.dataset.dictionaries);
      dictionaries = status === 200 && body ? body
          : {dictionaries: [], left: 0, problem: whyNot(status, body)};
    } catch (e) {
      dictionaries = {dictionaries: [], left: 0, problem: 'The application does not answer.'};
    }
    asking = false;
    draw();
  }

  function dictionariesView() {
    const ask = make('button', {type: 'button', id: 'ask-dictionaries', disabled: asking, onclick: askForDictionaries},
        dictionaries === null ? 'List them' : 'List them again');
    if (dictionaries === null) {
      return [make('p', {class: 'quiet'}, 'What is stored for small values; Redis is asked for it. '), ask];
    }
    if (dictionaries.problem) return [make('p', {class: 'message'}, seen(dictionaries.problem)), ask];
    return [
      table([['Dictionary', 'code'], ['Prefix', 'code'], ['Size', 'n'], ['Samples', 'n'], ['Stored of values', 'n'],
        ['Trained'], ['Used last'], ['Current']],
          dictionaries.dictionaries.map((one) => [one.id, one.prefix, bytes(one.bytes), number.format(one.samples),
            percent(one.ratio), time(one.trainedAt), one.lastUsed ? time(one.lastUsed) : '–', one.current ? 'yes' : '']),
          'None is stored.'),
      dictionaries.left > 0 ? make('p', {class: 'quiet'}, number.format(dictionaries.left) + ' more are stored.') : null,
      ask
    ];
  }

  function unknown() {
    return latest.client ? 'not connected to Redis' : 'no client';
  }

  /** What the views of meters begin with. */
  function metersOrNot() {
    return latest.meters.length > 0 ? null
        : make('p', {class: 'message'}, 'The application has no meter registry, so nothing is counted here.');
  }

  function draw() {
    if (latest === null) {
      for (const id of Object.keys(views)) byId(id).replaceChildren(make('p', {class: 'quiet'}, 'No figures yet.'));
      return;
    }
    const badge = byId('guard');
    const state = latest.guard ? latest.guard.state : '';
    badge.textContent = latest.guard ? 'Redis is ' + state : unknown();
    badge.className = 'badge ' + state.toLowerCase();
    const nodes = latest.guard ? latest.guard.nodes.map((node) => node.node) : [];
    const more = nodes.length > 3 ? ' and ' + (nodes.length - 3) + ' more' : '';
    byId('nodes').replaceChildren(seen((latest.cluster ? 'Cluster of ' : '') + nodes.slice(0, 3).join(', ') + more));
    for (const [id, view] of Object.entries(views)) {
      const panel = byId(id);
      // What somebody is marking is not taken away.
      if (!panel.hidden && !(getSelection() && !getSelection().isCollapsed && panel.contains(getSelection().anchorNode))) {
        panel.replaceChildren(...view().filter((child) => child !== null));
      }
    }
  }

  byId('key').focus();
  poll();
})();
