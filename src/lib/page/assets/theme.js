// Themes, and the buttons at the top of every page. A page has place(), linkTo() and show().

// Browsers may deny storage to pages opened from disk; then the address carries the theme.
const memory = {
  theme: null,
  isKept: true,
  read() {
    try {
      this.theme = localStorage.getItem("nearsig-theme");
    } catch {
      this.isKept = false;
    }
    this.theme = place().theme ?? this.theme;
  },
  keep(theme) {
    this.theme = theme;
    try {
      localStorage.setItem("nearsig-theme", theme);
    } catch {
      this.isKept = false;
    }
  },
};

const isDark = () => (memory.theme === null ? matchMedia("(prefers-color-scheme: dark)").matches : memory.theme === "dark");

function showTheme() {
  if (memory.theme === null) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = memory.theme;
  byId("theme").textContent = isDark() ? "Light" : "Dark";
}

function switchTheme() {
  memory.keep(isDark() ? "light" : "dark");
  showTheme();
  if (memory.isKept) return;
  history.replaceState(null, "", linkTo(place()));
  show(); // links carry the theme
}

function startThemes() {
  memory.read();
  // The address selects the view, so the skip link must not change it.
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
  byId("theme").addEventListener("click", switchTheme);
  byId("show-help").addEventListener("click", () => byId("help").showModal());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  showTheme();
}
