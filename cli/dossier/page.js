"use strict";
(() => {
  const rolls = [...document.querySelectorAll(".roll")];
  const step = document.getElementById("step");
  const which = document.getElementById("which");
  const show = (to) => {
    const at = Math.min(Math.max(to, 0), rolls.length - 1);
    rolls.forEach((roll, place) => roll.classList.toggle("shown", place === at));
    step.value = at;
    which.textContent = "Roll " + rolls[at].dataset.roll;
  };
  const go = (by) => show(Number(step.value) + by);
  document.documentElement.classList.add("steps");
  document.querySelector(".stepper").hidden = false;
  step.addEventListener("input", () => show(Number(step.value)));
  document.getElementById("back").addEventListener("click", () => go(-1));
  document.getElementById("next").addEventListener("click", () => go(1));
  document.addEventListener("keydown", (event) => {
    if (event.target === step || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowLeft") go(-1);
    if (event.key === "ArrowRight") go(1);
  });
  show(Number(step.value));
})();
