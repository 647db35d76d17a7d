"""Makes links out of docs/ plain text: the site has the documentation alone."""

import re
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\]\[]|\[[^\]]*])*)]\(([^)\s]+)\)")


def on_page_markdown(markdown, page, config, **_):
    docs = Path(config["docs_dir"]).resolve()
    here = (docs / page.file.src_path).parent

    def kept(match):
        target = match.group(2)
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        file = (here / target.split("#")[0]).resolve()
        outside = docs not in file.parents
        if outside and not file.exists():
            raise ValueError(f"{page.file.src_path}: {target} leads nowhere")
        return match.group(1) if outside else match.group(0)

    return LINK.sub(kept, markdown)
