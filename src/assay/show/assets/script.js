// The page works without this. It copies text, opens what a link points into, opens queries for printing, and keeps
// the theme that was chosen as long as the tab is open.
(() => {
  const theme = document.getElementById("theme");
  try {
    theme.checked = sessionStorage.getItem("assay-theme") === "turned";
    theme.addEventListener("change", () => sessionStorage.setItem("assay-theme", theme.checked ? "turned" : ""));
  } catch { /* Where a browser keeps nothing for a file, the choice ends with the page. */ }
  const opened = new Set();
  const reveal = () => {
    let place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const target = place;
    for (; place; place = place.parentElement) if (place.localName === "details") place.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const from = document.getElementById(button.dataset.copy);
      const says = button.textContent;
      try {
        await navigator.clipboard.writeText(from.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(from);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = says; }, 1600);
    });
  }
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details.on-paper:not([open])")) { one.open = true; opened.add(one); }
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
    opened.clear();
  });
})();
