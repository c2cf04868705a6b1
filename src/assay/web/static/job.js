// How far long work is: asks every two seconds, and loads the page anew when something has ended.
const place = location.pathname + ".json";
const progress = document.querySelector("progress");
let before;

const look = async () => {
  const answer = await fetch(place, { headers: { Accept: "application/json" } }).catch(() => null);
  if (!answer || !answer.ok) return;
  const page = await answer.json();
  const states = JSON.stringify((page.jobs || [page.job]).map((job) => job.state));
  if (before !== undefined && states !== before) return location.reload();
  before = states;
  if (page.job && progress && page.job.total) {
    progress.max = page.job.total;
    progress.value = page.job.done;
    document.getElementById("state").textContent = "Under way: " + page.job.message;
  }
};

look();
setInterval(look, 2000);
