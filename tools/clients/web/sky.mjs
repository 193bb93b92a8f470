// Draws the stars with WebGL2: points that add up in a texture of half floats, then colours by the logarithm of the light, with a glow from
// the texture's smaller copies.

const POINTS = `#version 300 es
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in float twin_x;
layout(location = 3) in float twin_y;
uniform vec4 view; // scale, then centre
uniform float size, light;
uniform bool twins;
out vec3 colour;
float noise(int i) {
    uint z = uint(i) * 2654435769u;
    z = (z ^ (z >> 15)) * 2246822519u;
    return float((z ^ (z >> 13)) & 0xffffu) / 65535.0;
}
void main() {
    vec2 at = vec2(x, y);
    gl_Position = vec4((at - view.zw) * view.xy, 0, 1);
    gl_PointSize = size;
    float n = noise(gl_VertexID);
    vec3 cool = mix(vec3(0.25, 0.42, 1.0), vec3(0.62, 0.82, 1.0), n);
    vec3 warm = mix(vec3(1.0, 0.36, 0.12), vec3(1.0, 0.78, 0.45), n);
    colour = (gl_VertexID % 3 == 2 ? warm : cool) * light * (0.35 + 1.3 * n * n);
    if (twins) {
        float apart = distance(at, vec2(twin_x, twin_y));
        // The run's own stars are dim. Red grows with the logarithm of the distance, from 1e-7 to 1.
        float far = apart > 0.0 ? clamp(1.0 + log2(apart) / 23.0, 0.0, 1.0) : 0.0;
        colour = mix(vec3(dot(colour, vec3(0.12))), vec3(1.0, 0.06, 0.10) * light * (0.3 + 4.0 * far * far), far > 0.0 ? 0.9 : 0.0);
    }
}`;
const POINT = `#version 300 es
precision mediump float;
in vec3 colour;
out vec4 result;
void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float a = max(0.0, 1.0 - dot(p, p));
    result = vec4(colour * a, a);
}`;
const SCREEN = `#version 300 es
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    gl_Position = vec4(at * 2.0 - 1.0, 0, 1);
}`;
const TONES = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D sky;
out vec4 result;
// The smaller copies are mean values of squares. Nine of them around a place, with weights, are smooth.
vec3 blurred(float level) {
    vec2 unit = exp2(level) / vec2(textureSize(sky, 0));
    vec3 sum = vec3(0);
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
            sum += textureLod(sky, at + unit * vec2(i, j), level).rgb * float((2 - abs(i)) * (2 - abs(j)));
    return sum / 16.0;
}
void main() {
    vec3 light = textureLod(sky, at, 0.0).rgb + 0.10 * blurred(2.0) + 0.06 * blurred(3.5) + 0.045 * blurred(5.0);
    float most = max(max(light.r, light.g), max(light.b, 1e-6));
    float tone = log2(1.0 + 24.0 * most) / log2(1.0 + 24.0 * 40.0);
    vec3 shown = light / most * tone;
    shown = mix(shown, vec3(tone), smoothstep(0.6, 1.15, tone)); // what is bright is white
    vec2 away = at - 0.5;
    vec3 dark = mix(vec3(0.016, 0.020, 0.045), vec3(0.004, 0.005, 0.012), smoothstep(0.0, 0.6, dot(away, away) * 2.0));
    result = vec4(dark + shown, 1);
}`;

export class Sky {
    // The galaxies meet in the part of the page that the panel leaves free.
    centre = matchMedia('(max-width: 46rem)').matches ? [0.2, -1.6] : [0.75, 0];
    height = matchMedia('(max-width: 46rem)').matches ? 9 : 6.4; // what is seen from top to bottom, in units of length
    #gl; #points; #tones; #buffers = []; #texture; #frame; #count = 0; #half; #size = [0, 0];

    // Throws if there is no WebGL2.
    constructor(canvas) {
        const gl = this.#gl = canvas.getContext('webgl2', { antialias: false, alpha: false, powerPreference: 'high-performance' });
        if (!gl) throw new Error('no WebGL2');
        this.#half = !!(gl.getExtension('EXT_color_buffer_half_float') || gl.getExtension('EXT_color_buffer_float'));
        this.#points = this.#program(POINTS, POINT);
        this.#tones = this.#program(SCREEN, TONES);
        this.#texture = gl.createTexture();
        this.#frame = gl.createFramebuffer();
        this.#buffers = [0, 1, 2, 3].map(() => gl.createBuffer());
    }

    #program(...sources) {
        const gl = this.#gl, program = gl.createProgram();
        sources.forEach((source, i) => {
            const shader = gl.createShader(i ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
            gl.shaderSource(shader, source);
            gl.compileShader(shader);
            if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
            gl.attachShader(program, shader);
        });
        gl.linkProgram(program);
        return { program, uniform: name => gl.getUniformLocation(program, name) };
    }

    // Makes room for the stars of a run, and of its twin.
    hold(count, twins) {
        const gl = this.#gl;
        this.#count = count;
        this.#buffers.forEach((buffer, i) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
            gl.bufferData(gl.ARRAY_BUFFER, i < 2 || twins ? 4 * count : 4, gl.DYNAMIC_DRAW);
            if (i < 2 || twins) {
                gl.enableVertexAttribArray(i);
                gl.vertexAttribPointer(i, 1, gl.FLOAT, false, 0, 0);
            } else {
                gl.disableVertexAttribArray(i);
            }
        });
    }

    // Takes the coordinates of a run (0) or of its twin (1).
    take(run, which = 0) {
        const gl = this.#gl;
        run.coordinates((axis, first, values) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[2 * which + axis]);
            gl.bufferSubData(gl.ARRAY_BUFFER, 4 * first, values);
        });
    }

    #resize() {
        const gl = this.#gl, { canvas } = gl, dense = Math.min(devicePixelRatio || 1, 2);
        const size = [canvas.clientWidth, canvas.clientHeight].map(n => Math.max(1, Math.round(n * dense)));
        if (size[0] === this.#size[0] && size[1] === this.#size[1]) return;
        this.#size = [canvas.width, canvas.height] = size;
        gl.bindTexture(gl.TEXTURE_2D, this.#texture);
        gl.texImage2D(gl.TEXTURE_2D, 0, this.#half ? gl.RGBA16F : gl.RGBA8, ...size, 0, gl.RGBA, this.#half ? gl.HALF_FLOAT : gl.UNSIGNED_BYTE, null);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.#texture, 0);
    }

    draw(twins) {
        this.#resize();
        const gl = this.#gl, [width, height] = this.#size, scale = 2 / this.height;
        gl.viewport(0, 0, width, height);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE);
        gl.useProgram(this.#points.program);
        gl.uniform4f(this.#points.uniform('view'), scale * height / width, scale, ...this.centre);
        // A star keeps its light when it gets more pixels, and all stars together when there are more of them.
        const points = Math.min(Math.max(height / 420 * Math.sqrt(6.4 / this.height), 1.2), 7);
        gl.uniform1f(this.#points.uniform('size'), points);
        gl.uniform1f(this.#points.uniform('light'), 1.1e6 / Math.max(this.#count, 5e4) / points ** 2 * Math.min((height / 900) ** 2 * 6.4 / this.height, 6));
        gl.uniform1i(this.#points.uniform('twins'), twins);
        gl.drawArrays(gl.POINTS, 0, this.#count);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.disable(gl.BLEND);
        gl.bindTexture(gl.TEXTURE_2D, this.#texture);
        gl.generateMipmap(gl.TEXTURE_2D);
        gl.useProgram(this.#tones.program);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }

    // Moves what is seen by pixels of the page.
    drag(dx, dy) {
        const unit = this.height / this.#gl.canvas.clientHeight;
        this.centre = [this.centre[0] - dx * unit, this.centre[1] + dy * unit];
    }

    // Zooms about a place of the page.
    zoom(factor, px, py) {
        const { clientWidth, clientHeight } = this.#gl.canvas;
        const height = Math.min(Math.max(this.height / factor, 0.02), 60), unit = (this.height - height) / clientHeight;
        this.centre = [this.centre[0] + (px - clientWidth / 2) * unit, this.centre[1] - (py - clientHeight / 2) * unit];
        this.height = height;
    }
}
