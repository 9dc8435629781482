// Short names for finding elements.

/** @param {string} selector @returns {HTMLElement | null} */
export const $ = (selector) => document.querySelector(selector);

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(/** @type {"div"} */ (selector))];
