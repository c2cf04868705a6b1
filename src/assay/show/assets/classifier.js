// The page of a classifier is complete without this. It lets the threshold move: the points on both curves, the scores,
// the confusion matrix and the measures are then those of the threshold chosen, from the four cells that lie beside them.
(() => {
  const recall = ({ tp, fn }) => tp / (tp + fn);
  const specificity = ({ fp, tn }) => tn / (tn + fp);
  const measures = {
    Precision: ({ tp, fp }) => tp / (tp + fp),
    Recall: recall,
    Specificity: specificity,
    NPV: ({ fn, tn }) => tn / (tn + fn),
    Accuracy: ({ tp, fp, fn, tn }) => (tp + tn) / (tp + fp + fn + tn),
    BalancedAccuracy: at => (recall(at) + specificity(at)) / 2,
    F1: ({ tp, fp, fn }) => 2 * tp / (2 * tp + fp + fn),
    MCC: ({ tp, fp, fn, tn }) =>
      (tp * tn - fp * fn) / Math.sqrt(tp + fp) / Math.sqrt(tp + fn) / Math.sqrt(tn + fp) / Math.sqrt(tn + fn),
    Youden: at => recall(at) + specificity(at) - 1,
    Jaccard: ({ tp, fp, fn }) => tp / (tp + fp + fn),
    FPR: ({ fp, tn }) => fp / (fp + tn),
    FNR: ({ tp, fn }) => fn / (fn + tp),
  };
  // As where the page was made: no number is rounded onto 0, 1 or -1, nor a share onto 0 % or 100 %, that is not it.
  const settled = value => [0, 1, -1].find(mark => Math.abs(value - mark) <= 1e-12) ?? value;
  const decimals = (value, least, marks) => {
    let places = least;
    for (const mark of marks)
      if (value !== mark && +value.toFixed(least) === mark)
        while (Math.abs(+value.toFixed(places) - value) > 0.1 * Math.abs(value - mark)) places += 1;
    return places;
  };
  // What lies in the middle between two numbers goes to the even one, as where the page was made.
  const number = exact => {
    if (!Number.isFinite(exact)) return "NA";
    const value = settled(exact);
    const below = Math.floor(value * 1e4);
    const even = Math.abs(value * 32 % 2) === 1 ? (below + Math.abs(below % 2)) / 1e4 : value;
    return even.toFixed(decimals(value, 4, [0, 1, -1])).replace("-", "−");
  };
  const inPercent = share => {
    const part = 100 * settled(share);
    return `${part.toFixed(decimals(part, 1, [0, 100, -100]))}%`;
  };
  const counted = value => !Number.isInteger(value) && Math.abs(value) < 0.1 ? `${+value.toPrecision(4)}`
    : value.toLocaleString("en", Number.isInteger(value) ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percent = share => `${+(100 * share).toFixed(2)}%`;

  for (const explorer of document.querySelectorAll(".explorer")) {
    const data = JSON.parse(explorer.querySelector(".data").textContent);
    const slider = explorer.querySelector(".slider");
    const last = data.tp.length - 1;
    const one = name => explorer.querySelector(name);
    const point = (name, x, y) => {
      const circle = one(`[data-point=${name}]`);
      if (Number.isNaN(x + y)) { circle.setAttribute("display", "none"); return; }
      circle.removeAttribute("display");
      circle.setAttribute("cx", percent(x));
      circle.setAttribute("cy", percent(1 - y));
    };
    const show = row => {
      const at = { tp: data.tp[row], fp: data.fp[row], fn: data.fn[row], tn: data.tn[row] };
      one(".at-threshold").textContent = data.says[row];
      one(".start-says").hidden = row !== data.start;
      slider.setAttribute("aria-valuetext", `${data.says[row]}: ${counted(at.tp)} true and ${counted(at.fp)} false positives`);
      for (const [name, count] of Object.entries(at)) {
        const all = name === "tp" || name === "fn" ? at.tp + at.fn : at.fp + at.tn;
        one(`[data-cell=${name}]`).textContent = counted(count);
        one(`[data-share=${name}]`).textContent = all ? inPercent(count / all) : "–";
      }
      for (const [name, measure] of Object.entries(measures)) {
        const cell = one(`[data-measure=${name}]`);
        cell.textContent = number(measure(at));
        cell.dataset.value = measure(at);
      }
      point("roc", measures.FPR(at), measures.Recall(at));
      point("pr", measures.Recall(at), measures.Precision(at));
      const line = one("[data-line]"), band = one("[data-band]");
      line.setAttribute("x1", percent(data.place[row]));
      line.setAttribute("x2", percent(data.place[row]));
      band.setAttribute("x", percent(data.place[row]));
      band.setAttribute("width", percent(1 - data.place[row]));
      for (const button of explorer.querySelectorAll("[data-row]"))
        button.setAttribute("aria-pressed", String(Number(button.dataset.row) === row));
    };
    // The slider's left end is the lowest threshold, as on the axis of the scores; the rows begin with the highest.
    slider.addEventListener("input", () => show(last - Number(slider.value)));
    for (const button of explorer.querySelectorAll("[data-row]")) {
      button.addEventListener("click", () => {
        slider.value = last - Number(button.dataset.row);
        show(Number(button.dataset.row));
      });
    }
    slider.value = last - data.start;
    show(data.start);
    one(".movers").hidden = false;
  }
  // The cell whose items are shown.
  const mark = () => {
    for (const cell of document.querySelectorAll(".heat td > a")) {
      if (cell.hash === location.hash) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
    }
  };
  addEventListener("hashchange", mark);
  mark();
})();
